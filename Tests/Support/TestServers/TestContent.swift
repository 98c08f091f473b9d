import Crypto
import SeededGenerator

/// The content of a test file: any byte of it can be computed, so that no server has to keep it and a spliced or
/// shifted file never passes for a right one.
package struct TestContent: Sendable, Hashable {
    package var seed: UInt64
    package var size: Int

    package init(seed: UInt64, size: Int) {
        self.seed = seed
        self.size = size
    }

    /// The bytes of a range, cut to the content.
    package func bytes(_ range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<size)
        return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var index = range.lowerBound
            while index < range.upperBound {
                let word = self.word(index / 8)
                // Whole words at once: tests are built without optimisation, and a byte costs as much there.
                if index % 8 == 0, range.upperBound - index >= 8 {
                    raw.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
                    count += 8
                    index += 8
                    continue
                }
                repeat {
                    buffer[count] = UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8))
                    count += 1
                    index += 1
                } while index % 8 != 0 && index < range.upperBound
            }
        }
    }

    /// All bytes.
    package var all: [UInt8] { bytes(0..<size) }

    /// Computed in pieces, whatever the size.
    package var sha256: [UInt8] {
        var hasher = SHA256()
        for start in stride(from: 0, to: size, by: 1 << 20) {
            hasher.update(data: bytes(start..<min(start + (1 << 20), size)))
        }
        return Array(hasher.finalize())
    }

    /// ``sha256`` in hexadecimal.
    package var sha256Text: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: sha256.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Eight bytes.
    private func word(_ index: Int) -> UInt64 {
        var generator = SeededGenerator(seed: seed &+ UInt64(index))
        return generator.next()
    }
}
