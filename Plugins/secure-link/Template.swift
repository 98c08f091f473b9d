import ProviderKit

/// Text with names in braces.
struct Template {
    /// The words for the names.
    var words: [String: String]

    /// `text` with each name replaced by its word. `parameter` is the name for errors.
    func fill(_ text: String, parameter: String) throws(ProviderError) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            guard let word = words[name] else {
                throw ProviderError(
                    .invalidParameters, "\(parameter) names {\(name)}, which has no value", parameter: parameter)
            }
            result += rest[..<open] + word
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    /// `path` in the form for a URL: everything percent-encoded except slashes and the unreserved characters of RFC
    /// 3986.
    static func percentEncoded(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.append(byte)
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
