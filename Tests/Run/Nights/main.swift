import Foundation
import LibrarySimulation
import NightSimulation

// nights [library] WEEKS [FIRST SEED]: how many weeks go wrong, a line for each of the first ones, and the first in its
// shortest form. The weeks are those of the schedule, or those of a library.
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { UInt64($0) }
let weeks = numbers.first ?? 1500
let seeds = (numbers.dropFirst().first ?? 0)..<(numbers.dropFirst().first ?? 0) + weeks
let isRight =
    arguments.contains("library")
    ? await live(LibraryWeek.self, seeds, nights: UInt64(LibraryWeek.nights))
    : await live(Week.self, seeds, nights: UInt64(Week.nights))
exit(isRight ? 0 : 1)

/// Whether all weeks go right.
func live<W: SimulatedWeek>(_ kind: W.Type, _ seeds: Range<UInt64>, nights: UInt64) async -> Bool {
    let mostLines = 20
    let start = Date()
    var lines: [String] = []
    let (failures, count) = await Simulation(kind).live(seeds) { failure in
        guard lines.count < mostLines else { return }
        lines.append("seed \(failure.week.seed), night \(failure.night): \(failure.problem)")
    }
    let seconds = Date().timeIntervalSince(start)
    print("\(UInt64(seeds.count) * nights) nights in \(String(format: "%.1f", seconds)) s; \(count) weeks went wrong")
    for line in lines { print(line) }
    for failure in failures { print(failure) }
    return count == 0
}
