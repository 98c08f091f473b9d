import MediaTransfer
import Testing

@testable import DownloadJobs

@Suite("Files that say themselves whether they are whole")
struct ContainerCompletenessTests {
    private func isWhole(_ bytes: [UInt8]) throws -> Bool {
        try ContainerCompleteness.isWhole(length: Int64(bytes.count)) { offset, count throws(FileError) in
            Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
        }
    }

    private static func box(_ type: String, _ body: [UInt8], size: Int? = nil) -> [UInt8] {
        let size = size ?? body.count + 8
        return [UInt8(size >> 24 & 0xFF), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
            + Array(type.utf8) + body
    }

    private static let mp4 =
        box("ftyp", Array("isom".utf8)) + box("moov", [1, 2, 3]) + box("mdat", Array(repeating: 7, count: 50))
    private static let webm: [UInt8] =
        [0x1A, 0x45, 0xDF, 0xA3, 0x82, 0, 0] + [0x18, 0x53, 0x80, 0x67, 0x94] + Array(repeating: 5, count: 20)
    private static let ts = [UInt8](0..<5).reduce(into: [UInt8]()) { bytes, number in
        bytes += [0x47] + [UInt8](repeating: number, count: 187)
    }

    @Test("each whole format is known as such", arguments: [mp4, webm, ts])
    func whole(bytes: [UInt8]) throws { #expect(try isWhole(bytes)) }

    @Test("cut at any byte none is", arguments: [mp4, webm])
    func cut(bytes: [UInt8]) throws {
        for length in 0..<bytes.count { #expect(try !isWhole(Array(bytes[..<length])), "\(length)") }
    }

    @Test(
        "a packet that is cut, boxes that end with the file, a segment of unknown size, and other formats prove nothing"
    )
    func others() throws {
        #expect(try !isWhole(Array(Self.ts.dropLast())))
        #expect(try !isWhole(Self.box("ftyp", []) + Self.box("moov", []) + Self.box("mdat", [1, 2], size: 0)))
        var unknown = Self.webm
        unknown[11] = 0xFF
        #expect(try !isWhole(unknown))
        #expect(try !isWhole(Self.box("ftyp", []) + Self.box("mdat", [1, 2, 3])), "without an index nothing plays")
        #expect(try !isWhole(Array("ID3".utf8) + Array(repeating: 3, count: 400)))
        #expect(try !isWhole(Array(repeating: 0, count: 400)))
    }

    @Test("two equal answers that are whole prove each other; others wait after three")
    func answers() {
        var answers = UnsizedResponses()
        #expect(answers.take([1]) == .again)
        #expect(answers.take([2]) == .again)
        #expect(answers.take([1]) == .whole)
        var cut = UnsizedResponses()
        #expect([cut.take(nil), cut.take(nil), cut.take(nil)] == [.again, .again, .waits])
        #expect(cut.take([1]) == .again && cut.take([1]) == .whole)
    }
}
