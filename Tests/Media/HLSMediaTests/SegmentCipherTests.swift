import Crypto
import CryptoExtras
import Foundation
import HLSMedia
import Testing

@Suite("the decryption of segments")
struct SegmentCipherTests {
    static let key = Array<UInt8>(0..<16)
    static let iv = Array<UInt8>(16..<32)

    static func encrypted(_ plain: [UInt8], padded: Bool = true) throws -> [UInt8] {
        let iv = try AES._CBC.IV(ivBytes: iv)
        return [UInt8](try AES._CBC.encrypt(plain, using: SymmetricKey(data: key), iv: iv, noPadding: !padded))
    }

    static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) } }

    @Test("data encrypted by openssl is decrypted")
    func openssl() throws {
        let hex = "9a6930f19656dcd8e79ea546c35aa94fe21fdafc55334e85b5b71001a9e5d51b02cee42da3a962cd24b854b5dfa88e20"
        var bytes = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
        try SegmentCipher(key: Self.key).decrypt(&bytes, iv: Self.iv)
        #expect(String(decoding: bytes, as: UTF8.self) == "Segments are decrypted in place.")
    }

    @Test(
        "segments of every length are decrypted, in any pieces",
        arguments: [0, 1, 15, 16, 17, 188, 65_519, 65_520, 65_535, 65_536, 65_537, 131_071, 131_072, 400_000])
    func lengths(count: Int) throws {
        let plain = Self.bytes(count)
        var bytes = try Self.encrypted(plain)
        try SegmentCipher(key: Self.key).decrypt(&bytes, iv: Self.iv)
        #expect(bytes == plain)
    }

    @Test("bytes at any offset in their memory are decrypted in place")
    func inPlace() throws {
        let plain = Self.bytes(100)
        var bytes = [9, 9, 9] + (try Self.encrypted(plain)) + [9]
        let length = try bytes.withUnsafeMutableBytes { buffer in
            try SegmentCipher(key: Self.key).decrypt(
                UnsafeMutableRawBufferPointer(rebasing: buffer[3..<(buffer.count - 1)]), iv: Self.iv[...])
        }
        #expect(length == 100)
        #expect(Array(bytes[3..<103]) == plain)
        #expect(bytes.prefix(3) == [9, 9, 9] && bytes.last == 9)
    }

    @Test("a segment that isn't a multiple of the block size is refused untouched", arguments: [0, 1, 15, 17, 187])
    func broken(count: Int) throws {
        var bytes = Self.bytes(count)
        #expect(throws: SegmentCipherError.segmentLength(count)) {
            try SegmentCipher(key: Self.key).decrypt(&bytes, iv: Self.iv)
        }
        #expect(bytes == Self.bytes(count))
    }

    @Test(
        "missing or incomplete padding is refused",
        arguments: [
            [0], [17], [255], [2, 1, 2], [1, 2], [3, 2, 3], Array(repeating: 16, count: 15),
        ] as [[UInt8]])
    func padding(end: [UInt8]) throws {
        let plain = Array(repeating: 0xAA as UInt8, count: 48 - end.count) + end
        var bytes = try Self.encrypted(plain, padded: false)
        #expect(throws: SegmentCipherError.padding) {
            try SegmentCipher(key: Self.key).decrypt(&bytes, iv: Self.iv)
        }
    }

    @Test("a wrong key gives neither the plaintext nor anything recognized as media")
    func wrongKey() throws {
        let plain = Samples.transportStream(packets: 40)
        var refused = 0
        for last in 100..<200 as Range<UInt8> {
            var bytes = try Self.encrypted(plain)
            do {
                try SegmentCipher(key: Self.key.dropLast() + [last]).decrypt(&bytes, iv: Self.iv)
                #expect(MediaKind.recognize(bytes) == nil)
            } catch {
                #expect(error == .padding)
                refused += 1
            }
        }
        #expect(refused > 80)
    }

    @Test("keys and vectors of other lengths are refused", arguments: [0, 15, 17, 24, 32])
    func keyLengths(count: Int) throws {
        #expect(throws: SegmentCipherError.keyLength(count)) { try SegmentCipher(key: Self.bytes(count)) }
        var bytes = Self.bytes(16)
        #expect(throws: SegmentCipherError.vectorLength(count)) {
            try SegmentCipher(key: Self.key).decrypt(&bytes, iv: Self.bytes(count))
        }
    }

    @Test("the key isn't printed")
    func secrecy() throws {
        let cipher = try SegmentCipher(key: Array("canary-canary-ca".utf8))
        var dumped = ""
        Swift.dump(cipher, to: &dumped)
        for text in ["\(cipher)", String(reflecting: cipher), dumped] {
            #expect(!text.contains("canary") && !text.contains("99") && !text.contains("key"))
        }
    }
}
