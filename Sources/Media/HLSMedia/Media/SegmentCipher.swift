import Crypto
import CryptoExtras
import Foundation
import MediaTransfer

/// The decryption of segments: AES-128-CBC with PKCS#7 padding, each segment by itself (RFC 8216 §4.3.2.4, method
/// `AES-128`).
///
/// It never shows its key: neither its description nor an error contains any of it.
package struct SegmentCipher: Sendable {
    /// The length of a key, of an initialization vector and of a block, in bytes.
    package static let blockLength = 16

    /// The length of the pieces for decryption, in bytes: large enough that the setup is negligible, and so small that
    /// a piece stays in the processor's cache while it is copied back.
    private static let pieceLength = 64 << 10

    private let key: SymmetricKey

    /// Throws if the key doesn't have 16 bytes.
    package init(key: some Collection<UInt8>) throws(SegmentCipherError) {
        guard key.count == Self.blockLength else { throw .keyLength(key.count) }
        self.key = SymmetricKey(data: Array(key))
    }

    /// Decrypts a whole segment in place; returns the length of the plain text at its beginning, without the padding.
    ///
    /// With a wrong key the padding is invalid in 255 of 256 cases; the others have to be detected by the plain text:
    /// ``MediaKind/recognize(_:)-(UnsafeRawBufferPointer)``. After an error the bytes are unusable.
    package func decrypt(
        _ bytes: UnsafeMutableRawBufferPointer, iv: some Collection<UInt8>
    ) throws(SegmentCipherError) -> Int {
        guard iv.count == Self.blockLength else { throw .vectorLength(iv.count) }
        guard bytes.count > 0, bytes.count % Self.blockLength == 0 else { throw .segmentLength(bytes.count) }
        do {
            try decryptBlocks(bytes, iv: AES._CBC.IV(ivBytes: iv))
        } catch {
            // The lengths are right, and nothing else is checked.
            throw .segmentLength(bytes.count)
        }
        return bytes.count - (try Self.paddingLength(UnsafeRawBufferPointer(bytes)))
    }

    /// Decrypts a whole segment and removes its padding.
    package func decrypt(_ bytes: inout [UInt8], iv: some Collection<UInt8>) throws(SegmentCipherError) {
        // A result, since an array's closure doesn't keep the type of its error.
        let length = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SegmentCipherError) in try decrypt(buffer, iv: iv) }
        }
        bytes.removeLast(bytes.count - (try length.get()))
    }

    /// A piece's vector is the last block of cipher text before it, so that CBC can be decrypted in pieces.
    private func decryptBlocks(_ bytes: UnsafeMutableRawBufferPointer, iv: AES._CBC.IV) throws {
        var iv = iv
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(Self.pieceLength))
            guard let start = piece.baseAddress else { return }
            let next = try AES._CBC.IV(ivBytes: piece.suffix(Self.blockLength))
            let input = Data(bytesNoCopy: start, count: piece.count, deallocator: .none)
            // Without padding: only the last piece has one.
            let plain = try AES._CBC.decrypt(input, using: key, iv: iv, noPadding: true)
            plain.withUnsafeBytes { piece.copyMemory(from: $0) }
            iv = next
            rest = rest.dropFirst(piece.count)
        }
    }

    /// The length of the padding: 1 to 16 bytes, each with that value. Related: RFC 5652 §6.3.
    private static func paddingLength(_ plain: UnsafeRawBufferPointer) throws(SegmentCipherError) -> Int {
        guard let length = plain.last, (1...UInt8(blockLength)).contains(length), plain.count >= length,
            plain.suffix(Int(length)).allSatisfy({ $0 == length })
        else { throw .padding }
        return Int(length)
    }
}

extension SegmentCipher: RedactedInPrint {}

/// The reason why a segment couldn't be decrypted. Contains nothing of key, vector or content except lengths.
package enum SegmentCipherError: Error, Sendable, Equatable {
    /// The key has this many bytes instead of 16.
    case keyLength(Int)
    /// The initialization vector has this many bytes instead of 16.
    case vectorLength(Int)
    /// The segment has this many bytes: none, or not a multiple of 16.
    case segmentLength(Int)
    /// The plain text doesn't end with PKCS#7 padding: a wrong key, a wrong vector, or a truncated segment.
    case padding
}
