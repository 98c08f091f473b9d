import ProviderKit

/// Text with names in braces.
struct Template {
    var words: [String: String]
    /// Whether words are percent-encoded.
    var isEncoding = false

    /// The words of a request: the video's parameters, `id`, `course` and `chapter`.
    static func words(of request: ResolveRequest) -> [String: String] {
        var words = request.video.parameters.compactMapValues(\.scalarText)
        words["id"] = request.video.id
        words["course"] = request.course.id
        words["chapter"] = request.chapter?.id ?? ""
        return words
    }

    /// `text` with each name replaced by its word. `parameter` is the name for errors; with `blamesName` an unknown
    /// name is.
    func fill(_ text: String, parameter: String, blamesName: Bool = false) throws(ProviderError) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{") {
            guard let close = rest[open...].firstIndex(of: "}") else { break }
            let name = String(rest[rest.index(after: open)..<close])
            guard let word = words[name] else {
                throw ProviderError(
                    .invalidParameters, "\(parameter) names {\(name)}, which has no value",
                    parameter: blamesName ? name : parameter)
            }
            result += rest[..<open] + (isEncoding ? PercentEncoding.encoded(word) : word)
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}

extension JSONValue {
    /// A scalar as a word to insert; nil for anything else.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}
