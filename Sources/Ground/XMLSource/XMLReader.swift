import CLibExpat

/// A mistake in an XML document, with its line.
package struct XMLMistake: Error, Equatable {
    /// Without anything of the document's text.
    package let message: String
    /// Whether the document isn't read although it may be well-formed.
    package let isRefusal: Bool

    package init(_ message: String, isRefusal: Bool = false) {
        self.message = message
        self.isRefusal = isRefusal
    }
}

/// Reads an XML document.
///
/// Nothing is loaded from elsewhere, and a document with an internal subset is refused where that begins: entities and
/// default attributes can't multiply themselves.
package final class XMLReader {
    private static let depthBound = 200
    /// Elements and attributes. Each takes about a hundred bytes.
    private static let nodeBound = 750_000

    private let parser: XML_Parser
    private var open: [XMLElement] = []
    private var root: XMLElement?
    /// The URIs of each prefix, that of the innermost element last.
    private var namespaces = ["xml": ["http://www.w3.org/XML/1998/namespace"]]
    /// For each open element the prefixes that it declares.
    private var declared: [[String]] = []
    private var count = 0
    private var refusal: String?

    /// The outermost element of the document in `bytes`. `charset` counts if the document names none.
    package static func root(of bytes: [UInt8], charset: String? = nil) throws(XMLMistake) -> XMLElement {
        guard !bytes.isEmpty else { throw XMLMistake("it is empty") }
        return try root(ofText: XMLEncoding.utf8(bytes, charset: charset), endsDocument: true)
    }

    /// The same for documents as they are written by hand: repaired if they have mistakes, of which the first is told,
    /// and whatever follows the outermost element.
    package static func repairedRoot(
        of bytes: [UInt8], charset: String? = nil
    ) throws(XMLMistake) -> (root: XMLElement, mistake: XMLMistake?) {
        let mistake: XMLMistake
        do throws(XMLMistake) {
            return (try root(of: bytes, charset: charset), nil)
        } catch {
            mistake = error
        }
        guard !mistake.isRefusal, !bytes.isEmpty else { throw mistake }
        let text = XMLRepair.repaired(XMLEncoding.guessedUTF8(bytes, charset: charset))
        return (try root(ofText: text, endsDocument: false), mistake)
    }

    private static func root(ofText text: [UInt8], endsDocument: Bool) throws(XMLMistake) -> XMLElement {
        guard let parser = XML_ParserCreate("UTF-8") else { throw XMLMistake("no memory") }
        let reader = XMLReader(parser)
        defer { XML_ParserFree(parser) }
        return try reader.read(text, endsDocument: endsDocument)
    }

    private init(_ parser: XML_Parser) { self.parser = parser }

    private func read(_ text: [UInt8], endsDocument: Bool) throws(XMLMistake) -> XMLElement {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser,
            { reader, name, attributes in XMLReader.of(reader)?.begin(name, attributes) },
            { reader, _ in XMLReader.of(reader)?.end() })
        XML_SetCharacterDataHandler(parser) { reader, text, count in
            guard let text, let reader = XMLReader.of(reader), !reader.open.isEmpty else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            reader.open[reader.open.count - 1].text += String(decoding: bytes, as: UTF8.self)
        }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, hasSubset in
            if hasSubset != 0 { XMLReader.of(reader)?.stop("its DOCTYPE has declarations of its own") }
        }
        let status = withExtendedLifetime(self) {
            // Documents are bounded far below the 2 GiB that one call takes.
            text.withUnsafeBytes {
                XML_Parse(
                    parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), 1)
            }
        }
        if let root, refusal == nil, status == XML_STATUS_OK || !endsDocument { return root }
        let line = XML_GetCurrentLineNumber(parser)
        let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown mistake"
        throw XMLMistake("\(refusal ?? words), line \(line)", isRefusal: refusal != nil)
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
        pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    private func stop(_ reason: String) {
        refusal = refusal ?? reason
        XML_StopParser(parser, XML_Bool(XML_FALSE))
    }

    private func begin(
        _ name: UnsafePointer<XML_Char>?, _ pairs: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
    ) {
        count += 1
        guard open.count < Self.depthBound else { return stop("it is nested too deep") }
        var attributes: [String: String] = [:]
        var prefixes: [String] = []
        var pair = pairs
        while let key = pair?.pointee, let value = pair?.advanced(by: 1).pointee, count <= Self.nodeBound {
            count += 1
            let (key, value) = (String(cString: key), String(cString: value))
            if key == "xmlns" || key.hasPrefix("xmlns:") {
                let prefix = String(key.dropFirst(6))
                prefixes.append(prefix)
                namespaces[prefix, default: []].append(value)
            } else {
                attributes[key] = value
            }
            pair = pair?.advanced(by: 2)
        }
        guard count <= Self.nodeBound else { return stop("it has too many elements") }
        declared.append(prefixes)
        let written = name.map { String(cString: $0) } ?? ""
        let parts = written.split(separator: ":", maxSplits: 1).map(String.init)
        let namespace = namespaces[parts.count == 2 ? parts[0] : ""]?.last
        open.append(
            XMLElement(
                name: parts.count == 2 && namespace != nil ? parts[1] : written, namespace: namespace ?? "",
                attributes: attributes, line: Int(XML_GetCurrentLineNumber(parser))))
    }

    private func end() {
        for prefix in declared.popLast() ?? [] { namespaces[prefix]?.removeLast() }
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }
}
