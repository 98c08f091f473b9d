import Foundation

/// Random numbers that a seed repeats.
struct Chance: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// From `COURSEFETCH_SEED` if it is set; printed, so that a failure can be repeated.
    static func announced(for test: String) -> Chance {
        let given = ProcessInfo.processInfo.environment["COURSEFETCH_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1_000_000)
        print("\(test): COURSEFETCH_SEED=\(seed)")
        return Chance(seed: seed)
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
