import SyncFacts

/// The message for a text that isn't a selector.
enum SelectorSyntax {
    /// The forms of a selector, for messages and help.
    static let forms = "course, course/chapter, course/video, course/chapter/video or title:\"Lens*\""

    static func message(_ error: SelectorError) -> String {
        switch error {
        case .empty: "a selector is empty; write \(forms)"
        case .emptyPart("title:"): "title: needs a title or a pattern after it, such as title:\"Lens*\""
        case .emptyPart(let text): "'\(text)' has an empty part; write \(forms)"
        case .tooManyParts(let text): "'\(text)' has more than three parts; write \(forms), a / inside an id as %2F"
        case .badPercentEncoding(let text):
            "'\(text)': % must be followed by two hexadecimal digits of UTF-8; write a literal % as %25"
        case .openBracket(let text): "'\(text)': a [ isn't closed; write a literal [ as %5B"
        }
    }
}
