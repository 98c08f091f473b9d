import SeededGenerator

/// Chance that depends on nothing but its seed and what it is asked about: what is taken out of a week changes nothing
/// else in it.
package struct Dice: Sendable {
    private var generator: SeededGenerator

    /// - Parameter keys: what it is about.
    package init(_ seed: UInt64, _ keys: Int...) {
        generator = SeededGenerator(seed: seed)
        for key in keys { generator = SeededGenerator(seed: next() ^ UInt64(bitPattern: Int64(key))) }
    }

    package mutating func next() -> UInt64 { generator.next() }

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
