import MediaTransfer
import XMLSource

/// Attributes of a presentation, with the bounds of ``PlaylistLimit``.
extension XMLElement {
    func error(_ fact: PresentationError.Fact) -> PresentationError { PresentationError(fact, line: line) }

    /// Those of this name in the same namespace.
    func parts(_ name: String) -> [XMLElement] { all(name, in: namespace) }

    func part(_ name: String) -> XMLElement? { first(name, in: namespace) }

    /// The elements of this name. Throws if one of them, or a description of segments beside them, is elsewhere.
    func here(_ name: String) throws(PresentationError) -> [XMLElement] {
        for part in children where part.namespace == namespace { try part.checkPlace() }
        // What resolves to nothing is nothing.
        return parts(name).filter { $0.link == nil }
    }

    /// Throws if another document is to take the place of this element. Nothing is loaded from elsewhere.
    func checkPlace() throws(PresentationError) {
        guard let link, link != "urn:mpeg:dash:resolve-to-zero:2013" else { return }
        if ["Period", "AdaptationSet", "Representation"].contains(name) || name.hasPrefix("Segment") {
            throw error(.isElsewhere)
        }
    }

    /// The reference to another document, whatever the prefix of its name.
    private var link: String? { attributes.first { $0.key.hasSuffix(":href") }?.value }

    /// Nil if it isn't given.
    func text(_ attribute: String) throws(PresentationError) -> String? {
        guard let text = attributes[attribute] else { return nil }
        guard text.utf8.count <= PlaylistLimit.line else { throw error(.value(attribute)) }
        return text
    }

    /// Nil if it isn't given.
    func number(
        _ attribute: String, in range: ClosedRange<Int64> = 0...PlaylistLimit.size
    ) throws(PresentationError) -> Int64? {
        guard let text = try text(attribute) else { return nil }
        guard let number = Int64(Self.trimmed(text)), range.contains(number) else { throw error(.value(attribute)) }
        return number
    }

    /// In seconds; nil if it isn't given.
    func seconds(_ attribute: String) throws(PresentationError) -> Double? {
        guard let text = try text(attribute) else { return nil }
        guard let seconds = PresentationDuration.seconds(text) else { throw error(.value(attribute)) }
        return seconds
    }

    /// From a first to a last byte, both included; nil if it isn't given.
    func byteRange(_ attribute: String) throws(PresentationError) -> Range<Int64>? {
        guard let text = try text(attribute) else { return nil }
        let ends = Self.trimmed(text).split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, last >= first,
            last < PlaylistLimit.size
        else { throw error(.value(attribute)) }
        return first..<last + 1
    }

    /// The reference of this element, given that of the element around it.
    func base(within outer: String) throws(PresentationError) -> String {
        guard let reference = part("BaseURL")?.words else { return outer }
        guard reference.utf8.count <= PlaylistLimit.line else { throw error(.value("BaseURL")) }
        return PresentationReference.joined(reference, to: outer)
    }

    /// Without blanks around it.
    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        return start.prefix(
            upTo: start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)
    }
}
