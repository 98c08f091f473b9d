import SeededGenerator

/// Changes texts at random; a seed repeats it all.
package struct Mutator: RandomNumberGenerator {
    /// Longer than this no text becomes.
    private static let bound = 1 << 16

    private var generator: SeededGenerator

    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    package mutating func next() -> UInt64 { generator.next() }

    /// One of the beginnings, with one to five changes.
    package mutating func input(of beginnings: [[UInt8]], words: [String]) -> [UInt8] {
        var bytes = beginnings.randomElement(using: &self) ?? []
        for _ in 0...Int.random(in: 0..<5, using: &self) { change(&bytes, beginnings, words) }
        return Array(bytes.prefix(Self.bound))
    }

    private mutating func change(_ bytes: inout [UInt8], _ beginnings: [[UInt8]], _ words: [String]) {
        let place = Int.random(in: 0...bytes.count, using: &self)
        switch Int.random(in: 0..<10, using: &self) {
        case 0, 1: bytes.insert(contentsOf: Array((words.randomElement(using: &self) ?? "").utf8), at: place)
        case 2: bytes.insert(.random(in: 0...255, using: &self), at: place)
        case 3 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &self)
        case 4 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 5: bytes.removeSubrange(piece(bytes, from: place, 20))
        case 6: bytes.insert(contentsOf: Array(bytes[piece(bytes, from: place, 60)]), at: min(place, bytes.count))
        case 7:
            let other = beginnings.randomElement(using: &self) ?? []
            let start = Int.random(in: 0...other.count, using: &self)
            bytes.insert(contentsOf: Array(other[piece(other, from: start, 200)]), at: place)
        case 8:
            // A number becomes one that is at an edge.
            guard let start = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) }) else { return }
            let end = bytes[start...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            let edges: [UInt64] = [
                0, 1, 59, 60, 127, 255, 256, 65_535, 1 << 31, 1 << 32, 1 << 33, 1 << 53, 1 << 62, .max >> 1, 1 << 63,
                .max,
            ]
            let edge = (edges.randomElement(using: &self) ?? 0) &+ UInt64.random(in: 0...2, using: &self) &- 1
            bytes.replaceSubrange(start..<end, with: Array(String(edge).utf8))
        default: bytes.removeSubrange(min(bytes.count, place + Int.random(in: 0...200, using: &self))...)
        }
    }

    private mutating func piece(_ bytes: [UInt8], from place: Int, _ longest: Int) -> Range<Int> {
        place..<min(bytes.count, place + Int.random(in: 0...longest, using: &self))
    }
}
