import FileSystem
import Testing
import TextFormats

@Suite("digests with an algorithm")
struct DigestOfTests {
    @Test(
        "bytes and hex digits lead to the same digest and back, of any length up to 32",
        arguments: [0, 1, 8, 16, 31, 32])
    func coding(count: Int) throws {
        let bytes = (0..<count).map { UInt8(255 - $0) }
        let digest = Checksum(bytes)
        #expect(digest.withUnsafeBytes { Array($0) } == bytes)
        #expect(digest.count == count && digest.hex == bytes.hex)
        #expect(Checksum(hex: digest.hex) == digest && Checksum(hex: digest.hex.uppercased()) == digest)
    }

    @Test("those of different bytes or lengths are different")
    func sameness() {
        let all: [Checksum] = [[], [0], [0, 0], [1], [1, 0], Checksum(0..<32), Checksum(1..<33)]
        #expect(Set(all).count == all.count)
    }

    @Test(
        "text that isn't hex digits of at most 32 bytes is none",
        arguments: ["0", "xy", String(repeating: "ab", count: 33)])
    func refused(text: String) {
        #expect(Checksum(hex: text) == nil)
    }
}
