import Foundation
import ProviderKit
import TextFormats

/// Finds known secrets in a text where they are encoded: percent-encoded, in base64 of either alphabet, in hexadecimal,
/// or with JSON's escapes. What an encoding covers beside the secret is found with it, such as the user name of HTTP's
/// Basic.
struct EncodedSecrets: PrintsRedacted {
    /// A run of characters that one encoding may have produced, and how it is decoded.
    private struct Encoding {
        var covers: @Sendable (UInt8) -> Bool
        var decode: @Sendable (ArraySlice<UInt8>) -> [UInt8]?
    }

    let secrets: [String]

    /// The text with `mark` in the place of each encoded secret.
    func replaced(in text: String, with mark: String) -> String {
        var bytes = Array(text.utf8)
        for encoding in Self.encodings { bytes = replaced(in: bytes, Array(mark.utf8), encoding) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func replaced(in bytes: [UInt8], _ mark: [UInt8], _ encoding: Encoding) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let start = rest.firstIndex(where: encoding.covers) {
            result += rest[..<start]
            let end = rest[start...].firstIndex { !encoding.covers($0) } ?? rest.endIndex
            let run = rest[start..<end]
            result += holdsSecret(run, encoding) ? mark[...] : run
            rest = rest[end...]
        }
        return result + rest
    }

    private func holdsSecret(_ run: ArraySlice<UInt8>, _ encoding: Encoding) -> Bool {
        guard let decoded = encoding.decode(run) else { return false }
        return secrets.contains { $0.utf8.count <= decoded.count && decoded.firstRange(of: $0.utf8) != nil }
    }

    private static let encodings = [
        Encoding(
            covers: { isWord($0) || "%+/.~".utf8.contains($0) },
            decode: { run in run.contains { $0 == 0x25 || $0 == 0x2B } ? percentDecoded(run) : nil }),
        // A whole string.
        Encoding(covers: { $0 != 0x22 }, decode: { $0.contains(0x5C) ? jsonDecoded($0) : nil }),
        // A path has slashes, too: its parts are looked at without them below.
        Encoding(covers: { isWord($0) || $0 == 0x2B || $0 == 0x2F }, decode: base64Decoded),
        Encoding(covers: { isWord($0) || $0 == 0x2B }, decode: base64Decoded),
        Encoding(covers: { HexDigit.value($0) != nil }, decode: hexDecoded),
    ]

    /// Letters, digits, `-` and `_`.
    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D || byte == 0x5F
    }

    /// Also `+` for a space, as in forms.
    private static func percentDecoded(_ run: ArraySlice<UInt8>) -> [UInt8] {
        PercentEncoding.bytes(of: run.map { $0 == 0x2B ? 0x20 : $0 }[...])
    }

    private static func jsonDecoded(_ run: ArraySlice<UInt8>) -> [UInt8]? {
        (try? JSONReader.value(of: [0x22] + run + [0x22]))?.string.map { Array($0.utf8) }
    }

    private static func base64Decoded(_ run: ArraySlice<UInt8>) -> [UInt8]? {
        // A single character behind whole groups has no whole byte in it.
        let whole = run.dropLast(run.count % 4 == 1 ? 1 : 0)
        guard whole.count >= 6 else { return nil }
        var plain = whole.map { $0 == 0x2D ? 0x2B : $0 == 0x5F ? 0x2F : $0 }
        plain += [UInt8](repeating: 0x3D, count: (4 - plain.count % 4) % 4)
        return Data(base64Encoded: Data(plain)).map { Array($0) }
    }

    private static func hexDecoded(_ run: ArraySlice<UInt8>) -> [UInt8]? {
        guard run.count >= 8, run.count.isMultiple(of: 2) else { return nil }
        return [UInt8](hex: String(decoding: run, as: UTF8.self))
    }
}
