import FileSystem
import Testing

@Suite("checksums that hosts publish")
struct PublishedChecksumsTests {
    private let known = PublishedChecksums(
        md5: "25F9E794323B453885F5181F1B624D0B", sha1: "f7c3bc1d808e04732adf679965ccc34ca7ae3441", crc32: "CBF43926")

    private func found(_ pieces: [String], like expected: PublishedChecksums) -> PublishedChecksums? {
        var digest = expected.digest
        for piece in pieces { Array(piece.utf8).withUnsafeBytes { digest.update($0) } }
        return digest.checksums
    }

    @Test("those of 123456789 are the known ones, in whatever pieces it comes")
    func check() throws {
        let known = try #require(known)
        for pieces in [["123456789"], ["1", "23456789"], ["", "12345678", "9"], ["123456789", ""]] {
            #expect(found(pieces, like: known) == known, "\(pieces)")
        }
        let long = String(repeating: "123456789", count: 1000)
        let whole = try #require(found([long], like: known))
        #expect(found([String(long.prefix(4001)), String(long.dropFirst(4001))], like: known) == whole)
        #expect(whole.contradiction(to: known) == .md5)
    }

    @Test(
        "the stored form is read again; others aren't",
        arguments: ["", "md5", "md5:", "md5:00", "sha9:00", "crc32:xyz"])
    func text(_ other: String) throws {
        let known = try #require(known)
        #expect(
            known.text
                == "md5:25f9e794323b453885f5181f1b624d0b sha1:f7c3bc1d808e04732adf679965ccc34ca7ae3441 crc32:cbf43926")
        #expect(PublishedChecksums(text: known.text) == known)
        #expect(PublishedChecksums(text: other) == nil)
    }

    @Test("only what both have is compared, and only what one has can be lacking in the other")
    func comparison() throws {
        let (known, crc) = (
            try #require(known), try #require(PublishedChecksums(md5: nil, sha1: nil, crc32: "cbf43926"))
        )
        let other = try #require(PublishedChecksums(md5: nil, sha1: nil, crc32: "00000000"))
        #expect(known.contradiction(to: crc) == nil && known.contradiction(to: other) == .crc32)
        #expect(crc.isContained(in: known) && !known.isContained(in: crc) && !crc.isContained(in: nil))
        #expect(PublishedChecksums(md5: "00", sha1: nil, crc32: nil) == nil)
    }
}
