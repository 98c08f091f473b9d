import Foundation

/// Scalars as the fields of a store: numbers may be text and text numbers, as apps write them.
extension PropertyList {
    /// Longer texts are none that a field has.
    private static let fieldBound = 1 << 16

    /// A member of a dictionary; nil for any other value.
    subscript(_ key: String) -> PropertyList? {
        guard case .dictionary(let members) = self else { return nil }
        return members[key]
    }

    /// Text that isn't empty, or a whole number in digits.
    var text: String? {
        switch self {
        case .string(let text):
            text.isEmpty || text.utf8.count > Self.fieldBound || text.utf8.contains(0) ? nil : text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// A whole number, or the text of one.
    var wholeNumber: Int64? {
        switch self {
        case .integer(let number): number
        // Archives have one object for what is equal, and 1 equals true.
        case .boolean(let isTrue): isTrue ? 1 : 0
        case .real(let number): Int64(exactly: number)
        case .string(let text): Self.wholeNumber(text)
        default: nil
        }
    }

    private static func wholeNumber(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        let words = text.trimmingCharacters(in: .whitespaces)
        return Int64(words) ?? Double(words).flatMap { Int64(exactly: $0) }
    }

    /// A size in bytes; nil unless it is greater than 0.
    var size: Int64? { wholeNumber.flatMap { $0 > 0 ? $0 : nil } }

    /// Seconds: a number, the text of one, or `[h:]mm:ss`.
    var seconds: Double? {
        let number: Double?
        switch self {
        case .integer(let whole): number = Double(whole)
        case .real(let real): number = real
        case .string(let text) where text.utf8.count <= 64:
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
            guard parts.count <= 3, !parts.contains(nil) else { return nil }
            number = parts.compactMap(\.self).reduce(0) { $0 * 60 + $1 }
        default: number = nil
        }
        guard let number, number.isFinite, number > 0, number < 1e9 else { return nil }
        return number
    }

    /// An address of a web server.
    var webAddress: String? {
        text.flatMap { SourceAddress($0)?.text }
    }

    /// The bytes of data, or of text.
    var bytes: [UInt8]? {
        switch self {
        case .data(let data): Array(data)
        case .string(let text): Array(text.utf8)
        default: nil
        }
    }
}
