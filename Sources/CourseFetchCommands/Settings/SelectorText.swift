import SyncFacts

/// What is told about a text that is no selector.
enum SelectorText {
    /// What a selector looks like, for messages and help.
    static let forms = "course, course/chapter, course/video, course/chapter/video or title:\"Lens*\""

    static func message(_ error: SelectorError) -> String {
        switch error {
        case .empty: "a selector is empty; write \(forms)"
        case .emptyPart("title:"): "title: needs a title or a pattern behind it, such as title:\"Lens*\""
        case .emptyPart(let text): "“\(text)” has an empty part; write \(forms)"
        case .tooManyParts(let text): "“\(text)” has more than three parts; write \(forms), a / inside an id as %2F"
        case .badPercentEncoding(let text):
            "“\(text)”: after % come two hexadecimal digits of UTF-8; write a plain % as %25"
        case .openBracket(let text): "“\(text)”: a [ is never closed; write a plain [ as %5B"
        }
    }
}
