import ProviderHTTP

/// Finds elements of a feed by vocabulary and name.
struct FeedElements {
    /// The namespace of the feed's outermost element.
    let own: String

    /// The elements directly in `element` with this name in this vocabulary.
    func all(_ name: String, _ vocabulary: FeedVocabulary = .own, in element: XMLElement) -> [XMLElement] {
        element.children.filter { matches($0, name, vocabulary) }
    }

    /// The first of ``all(_:_:in:)``.
    func first(_ name: String, _ vocabulary: FeedVocabulary = .own, in element: XMLElement) -> XMLElement? {
        element.children.first { matches($0, name, vocabulary) }
    }

    /// The text of ``first(_:_:in:)``; Atom's may be elements, of XHTML.
    func text(_ name: String, _ vocabulary: FeedVocabulary = .own, in element: XMLElement) -> String? {
        guard let found = first(name, vocabulary, in: element) else { return nil }
        if let words = found.words { return words }
        var all = ""
        Self.append(found, to: &all)
        return found.children.isEmpty ? nil : all
    }

    /// The links of Atom, which other feeds have, too.
    func links(_ relation: String, in element: XMLElement) -> [XMLElement] {
        element.children.filter {
            $0.attributes["rel"] == relation && (matches($0, "link", .own) || matches($0, "link", .atom))
        }
    }

    private func matches(_ element: XMLElement, _ name: String, _ vocabulary: FeedVocabulary) -> Bool {
        if element.name == name {
            return element.namespace == own
                ? vocabulary == .own : FeedVocabulary(namespace: element.namespace) == vocabulary
        }
        // Of a prefix that nobody has declared.
        return element.name.utf8.count == vocabulary.rawValue.utf8.count + 1 + name.utf8.count
            && element.name == "\(vocabulary.rawValue):\(name)"
    }

    private static func append(_ element: XMLElement, to text: inout String) {
        text += element.text
        for child in element.children {
            text += " "
            append(child, to: &text)
        }
    }
}
