/// An element of an XML document with all that is in it.
public struct XMLElement: Sendable {
    /// Its name without a prefix; with one that isn't declared, the name as it is written.
    public let name: String
    /// The URI of its namespace; empty if it has none.
    public let namespace: String
    /// Its attributes, by their names as they are written.
    public internal(set) var attributes: [String: String]
    /// The elements in it.
    public internal(set) var children: [XMLElement] = []
    /// The text directly in it, entities and CDATA resolved.
    public internal(set) var text = ""
    /// The line at which it begins, from 1.
    public let line: Int

    /// The outermost element of a document; nil if the bytes aren't XML, or have an internal subset.
    public init?(_ document: [UInt8]) {
        guard let root = try? XMLReader.root(of: document) else { return nil }
        self = root
    }

    init(name: String, namespace: String, attributes: [String: String], line: Int) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.line = line
    }

    /// The elements directly in it with this name, in this namespace.
    public func all(_ name: String, in namespace: String = "") -> [XMLElement] {
        children.filter { $0.name == name && $0.namespace == namespace }
    }

    /// The first of ``all(_:in:)``.
    public func first(_ name: String, in namespace: String = "") -> XMLElement? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// The text of the first element with this name, without blanks around it; nil if there is none, or none in it.
    public func text(of name: String, in namespace: String = "") -> String? { first(name, in: namespace)?.words }

    /// Its text without blanks around it; nil if nothing is left.
    public var words: String? {
        let blanks: (Character) -> Bool = { $0.isWhitespace }
        let start = text.drop(while: blanks)
        guard let last = start.lastIndex(where: { !blanks($0) }) else { return nil }
        return String(start[...last])
    }
}
