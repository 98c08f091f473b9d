import CLibExpat

/// A mistake in an XML document, with its line.
struct XMLMistake: Error, Equatable {
    /// Without anything of the document's text.
    let message: String
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Reads an XML document in UTF-8, UTF-16, or an encoding of one byte a character that `iconv` knows.
///
/// Nothing is loaded from elsewhere, and a document that declares entities of its own is refused at the first of them, so
/// that none can multiply itself.
final class XMLReader {
    private static let depthBound = 200
    private static let elementBound = 2_000_000

    private let parser: XML_Parser
    private var open: [XMLElement] = []
    private var root: XMLElement?
    /// For each open element the prefixes that it declares.
    private var prefixes: [[String: String]] = [["xml": "http://www.w3.org/XML/1998/namespace"]]
    private var count = 0
    private var refusal: String?

    /// The outermost element of the document in `bytes`.
    static func root(of bytes: [UInt8]) throws(XMLMistake) -> XMLElement {
        guard let parser = XML_ParserCreate(nil) else { throw XMLMistake(message: "no memory") }
        let reader = XMLReader(parser)
        defer { XML_ParserFree(parser) }
        return try reader.read(bytes)
    }

    private init(_ parser: XML_Parser) { self.parser = parser }

    private func read(_ bytes: [UInt8]) throws(XMLMistake) -> XMLElement {
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
        XML_SetEntityDeclHandler(parser) { reader, _, _, _, _, _, _, _, _ in
            XMLReader.of(reader)?.stop("it declares entities of its own")
        }
        XML_SetUnknownEncodingHandler(
            parser,
            { _, name, encoding in
                guard let name, let encoding else { return Int32(XML_STATUS_ERROR.rawValue) }
                return XMLReader.describe(name, &encoding.pointee)
            }, nil)
        let status = withExtendedLifetime(self) {
            // Documents are bounded far below the 2 GiB that one call takes.
            bytes.withUnsafeBytes {
                XML_Parse(
                    parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: $0.count), 1)
            }
        }
        guard status == XML_STATUS_OK else {
            let line = XML_GetCurrentLineNumber(parser)
            let code = XML_GetErrorCode(parser)
            if code == XML_ERROR_NO_ELEMENTS, bytes.isEmpty { throw XMLMistake(message: "it is empty") }
            let words = XML_ErrorString(code).map { String(cString: $0) } ?? "unknown mistake"
            throw XMLMistake(message: "\(refusal ?? words), line \(line)")
        }
        guard let root else { throw XMLMistake(message: "it is empty") }
        return root
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> XMLReader? {
        pointer.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Fills in which character each byte is; -1 for none.
    private static func describe(_ name: UnsafePointer<XML_Char>, _ encoding: inout XML_Encoding) -> Int32 {
        guard let converter = iconv_open("UTF-32LE", name), Int(bitPattern: converter) != -1 else {
            return Int32(XML_STATUS_ERROR.rawValue)
        }
        defer { iconv_close(converter) }
        encoding.data = nil
        encoding.convert = nil
        encoding.release = nil
        withUnsafeMutableBytes(of: &encoding.map) { bytes in
            let map = bytes.bindMemory(to: Int32.self)
            for byte in 0..<256 {
                var (source, target) = (CChar(bitPattern: UInt8(byte)), UInt32(0))
                let isDone = withUnsafeMutablePointer(to: &source) { source in
                    withUnsafeMutableBytes(of: &target) { target in
                        var input: UnsafeMutablePointer<CChar>? = source
                        var output = target.baseAddress?.assumingMemoryBound(to: CChar.self)
                        var (read, room) = (1, 4)
                        return iconv(converter, &input, &read, &output, &room) != -1 && room == 0
                    }
                }
                map[byte] = isDone ? Int32(UInt32(littleEndian: target)) : -1
            }
        }
        return Int32(XML_STATUS_OK.rawValue)
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
        guard count <= Self.elementBound else { return stop("it has too many elements") }
        var attributes: [String: String] = [:]
        var declared: [String: String] = [:]
        var pair = pairs
        while let key = pair?.pointee, let value = pair?.advanced(by: 1).pointee {
            let (key, value) = (String(cString: key), String(cString: value))
            if key == "xmlns" {
                declared[""] = value
            } else if key.hasPrefix("xmlns:") {
                declared[String(key.dropFirst(6))] = value
            } else {
                attributes[key] = value
            }
            pair = pair?.advanced(by: 2)
        }
        prefixes.append(declared)
        let written = name.map { String(cString: $0) } ?? ""
        let parts = written.split(separator: ":", maxSplits: 1).map(String.init)
        let prefix = parts.count == 2 ? parts[0] : ""
        let namespace = prefixes.reversed().lazy.compactMap { $0[prefix] }.first
        open.append(
            XMLElement(
                name: parts.count == 2 && namespace != nil ? parts[1] : written, namespace: namespace ?? "",
                attributes: attributes, line: Int(XML_GetCurrentLineNumber(parser))))
    }

    private func end() {
        prefixes.removeLast()
        guard let element = open.popLast() else { return }
        if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
    }
}
