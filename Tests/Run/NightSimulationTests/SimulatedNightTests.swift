import Foundation
import NightSimulation
import Testing

@Suite("Simulated nights")
struct SimulatedNightTests {
    @Test("satisfy the model after every event, end, and leave nothing unexplained")
    func nights() async {
        let isLong = ProcessInfo.processInfo.environment["COURSEFETCH_SOAK"] != nil
        let given = ProcessInfo.processInfo.environment["COURSEFETCH_SEED"].flatMap { UInt64($0) }
        let first = given ?? UInt64.random(in: 0..<1_000_000_000)
        let weeks: UInt64 = given != nil ? 1 : isLong ? 20_000 : 150
        let (failures, count) = await Simulation(Week.self).live(first..<first + weeks)
        #expect(
            count == 0, "COURSEFETCH_SEED=\(failures.first?.week.seed ?? 0) \(failures.first.map { "\($0)" } ?? "")")
    }
}
