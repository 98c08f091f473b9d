import Foundation
import NightSimulation

// nights WEEKS [FIRST SEED]: how many weeks go wrong, and the first of them in its shortest form.
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let weeks = arguments.first ?? 1500
let first = arguments.dropFirst().first ?? 0
let start = Date()
let (failures, count) = Simulation().live(first..<first + weeks)
let seconds = Date().timeIntervalSince(start)
print("\(weeks * UInt64(Week.nights)) nights in \(String(format: "%.1f", seconds)) s; \(count) weeks went wrong")
for failure in failures { print(failure) }
exit(count == 0 ? 0 : 1)
