import Foundation
import SeededGenerator

/// Random numbers that a seed repeats.
struct Chance: RandomNumberGenerator {
    let seed: UInt64
    private var generator: SeededGenerator

    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// From `COURSEFETCH_SEED` if it is set; printed, so that a failure can be repeated.
    static func announced(for test: String) -> Chance {
        let given = ProcessInfo.processInfo.environment["COURSEFETCH_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000)
        print("\(test): COURSEFETCH_SEED=\(seed)")
        return Chance(seed: seed)
    }

    mutating func next() -> UInt64 { generator.next() }
}
