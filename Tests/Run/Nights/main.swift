import Foundation
import NightSimulation

// nights WEEKS [FIRST SEED]: how many weeks go wrong, a line for each of the first ones, and the first in its shortest form.
let mostLines = 20
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let weeks = arguments.first ?? 1500
let first = arguments.dropFirst().first ?? 0
let start = Date()
var lines: [String] = []
let (failures, count) = Simulation().live(first..<first + weeks) { failure in
    guard lines.count < mostLines else { return }
    lines.append("seed \(failure.week.seed), night \(failure.night): \(failure.problem)")
}
let seconds = Date().timeIntervalSince(start)
print("\(weeks * UInt64(Week.nights)) nights in \(String(format: "%.1f", seconds)) s; \(count) weeks went wrong")
for line in lines { print(line) }
for failure in failures { print(failure) }
exit(count == 0 ? 0 : 1)
