/// Chance that depends on nothing but its seed and what it is asked about: what is taken out of a week changes nothing
/// else in it.
package struct Dice: Sendable {
    private var state: UInt64

    /// - Parameter keys: what it is about.
    package init(_ seed: UInt64, _ keys: Int...) {
        state = seed
        for key in keys { state = next() ^ UInt64(bitPattern: Int64(key)) }
    }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// From 0 to 1.
    package mutating func share() -> Double { Double(next() >> 11) / Double(1 << 53) }

    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.upperBound - range.lowerBound + 1))
    }

    package mutating func seconds(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + share() * (range.upperBound - range.lowerBound)
    }

    package mutating func happens(_ percent: Int) -> Bool { next() % 100 < UInt64(percent) }
}
