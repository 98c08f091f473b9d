import Checkout
import Foundation
import Testing

@testable import YAMLSource

/// The cases of yaml-test-suite. Its files aren't part of this project.
@Suite("yaml-test-suite") struct YAMLSuiteTests {
    /// How a case came out.
    enum Outcome: String {
        /// As the suite wants it.
        case agrees
        /// Refused although it is valid YAML.
        case refused
        /// Taken although it isn't YAML.
        case taken
        /// Read as something else.
        case other
    }

    static let folder = Corpora.url("yaml-test-suite")

    @Test(
        "every case gives the result of the suite, except for listed ones",
        .enabled(if: folder != nil, "no yaml-test-suite; set COURSEFETCH_CORPORA"))
    func cases() throws {
        var ids: [String] = []
        let folder = try #require(Self.folder)
        let walker = try #require(FileManager.default.enumerator(atPath: folder.path(percentEncoded: false)))
        for case let path as String in walker where path.hasSuffix("/in.yaml") { ids.append(String(path.dropLast(8))) }
        try #require(ids.count > 0)
        for id in ids.sorted() {
            let outcome = try outcome(of: id)
            let listed = YAMLSuiteDifferences.all[id]
            if outcome == .agrees {
                #expect(listed == nil, "\(id) no longer differs; take it off the list")
            } else {
                #expect(listed?.outcome == outcome, "\(id): \(outcome)")
            }
        }
        for id in YAMLSuiteDifferences.all.keys { #expect(ids.contains(id), "\(id) isn't a case") }
    }

    private func outcome(of id: String) throws -> Outcome {
        let folder = try #require(Self.folder).appending(path: id)
        let text = try Array(Data(contentsOf: folder.appending(path: "in.yaml")))
        let isWrong = FileManager.default.fileExists(
            atPath: folder.appending(path: "error").path(percentEncoded: false))
        let documents: [YAMLNode]
        do {
            documents = try text.withUnsafeBytes {
                try YAMLNode.parseDocuments(bytes: $0, file: id, limits: .smallFile)
            }
        } catch let error as YAMLParseError {
            if ProcessInfo.processInfo.environment["COURSEFETCH_VERBOSE"] != nil, !isWrong {
                print(id, error.diagnostics.map(\.text))
            }
            return isWrong ? .agrees : .refused
        }
        if isWrong { return .taken }
        guard let expected = try? Data(contentsOf: folder.appending(path: "in.json")) else { return .agrees }
        let values = try JSONStream.documents(expected)
        return values.count == documents.count && zip(values, documents).allSatisfy { $0.matches($1) }
            ? .agrees : .other
    }
}

/// JSON documents one after the other.
enum JSONStream {
    indirect enum Value: Decodable {
        case null, bool(Bool), number(Double), string(String), array([Value]), object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Value].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func matches(_ node: YAMLNode) -> Bool {
            switch (self, node.value) {
            case (.null, .null): true
            case (.bool(let a), .bool(let b)): a == b
            case (.number(let a), _): node.double == a
            case (.string(let a), .string(let b)): a.unicodeScalars.elementsEqual(b.unicodeScalars)
            case (.array(let a), .sequence(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.matches($1) }
            case (.object(let a), .mapping(let b)):
                a.count == b.count && b.allSatisfy { entry in a[entry.key]?.matches(entry.value) ?? false }
            default: false
            }
        }
    }

    static func documents(_ data: Data) throws -> [Value] {
        var documents: [Value] = []
        var current = Data()
        var depth = 0
        var isQuoted = false
        var isEscaped = false
        func flush() throws {
            guard !current.isEmpty else { return }
            documents.append(try JSONDecoder().decode(Value.self, from: current))
            current = Data()
        }
        for byte in data {
            let isBlank = byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
            if isBlank, depth == 0, !isQuoted {
                try flush()
                continue
            }
            current.append(byte)
            if isQuoted {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isQuoted = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        try flush()
        return documents
    }
}
