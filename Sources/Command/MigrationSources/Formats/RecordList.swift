import Foundation
import TextFormats

/// The records of an app's own archive, whose form its makers don't document: an array of dictionaries, a dictionary of
/// them, an archived array of objects, data with one archived object each, or arrays of all these; in a property list,
/// a keyed archive or JSON.
struct RecordList {
    /// The fields of a record, scalars only.
    typealias Fields = [String: PropertyList]

    /// Arrays and dictionaries around a record, at most.
    private static let depthBound = 4

    private enum Form {
        case archive(KeyedArchive)
        case binary(BinaryPropertyList)
        case value(PropertyList)
    }

    private let form: Form
    private let size: Int
    /// By which a dictionary is known to be a record.
    private let known: Set<String>

    /// Throws if the bytes are in none of the forms.
    init(_ bytes: [UInt8], knownBy known: Set<String>) throws(FormatFault) {
        self.known = known
        size = bytes.count
        if bytes.first(where: { $0 > 0x20 }).map({ $0 == UInt8(ascii: "[") }) ?? false || Self.isJSONObject(bytes) {
            form = .value(try JSONPropertyList.read(bytes))
            return
        }
        do { form = .archive(try KeyedArchive(bytes)) } catch .foreign {
            form =
                bytes.starts(with: BinaryPropertyList.magic)
                ? .binary(try BinaryPropertyList(bytes)) : .value(try PropertyList(bytes))
        }
    }

    /// An old-style list begins with a brace too, but a quoted key of it has no colon after it.
    private static func isJSONObject(_ bytes: [UInt8]) -> Bool {
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return false }
        // A shorter look wouldn't tell; a longer text is refused as either.
        return bytes.count <= PropertyList.textBound
            && (try? JSONReader.value(of: bytes)) != nil
    }

    /// Calls `body` with the fields of each record, in order; with a fault for one that can't be read.
    func forEach(_ body: (Result<Fields, FormatFault>) throws -> Void) throws {
        switch form {
        case .archive(let archive): try visit(archive, archive.root, depth: 0, body)
        case .binary(let list):
            var budget = NodeBudget(ofFile: size, times: 4)
            try visit(list, object: list.root, &budget, depth: 0, body)
        case .value(let value): try visit(value, depth: 0, body)
        }
    }

    private func isRecord(_ keys: some Sequence<String>) -> Bool { keys.contains { known.contains($0) } }

    private func visit(
        _ archive: KeyedArchive, _ value: PropertyList?, depth: Int,
        _ body: (Result<Fields, FormatFault>) throws -> Void
    ) throws {
        guard depth < Self.depthBound else { return }
        let found: (members: [PropertyList]?, fields: Fields?, data: Data?)
        do throws(FormatFault) { found = try look(archive, value) } catch { return try body(.failure(error)) }
        if let fields = found.fields { return try body(.success(fields)) }
        if let data = found.data { return try visit(data, depth: depth, body) }
        for member in found.members ?? [] { try visit(archive, member, depth: depth + 1, body) }
    }

    /// What a value of an archive is: a record, some of them, or data that may be one.
    private func look(
        _ archive: KeyedArchive, _ value: PropertyList?
    ) throws(FormatFault) -> (members: [PropertyList]?, fields: Fields?, data: Data?) {
        guard let object = try archive.object(value) else { return (nil, nil, nil) }
        if let members = try archive.members(of: object) { return (members, nil, nil) }
        if case .data(let data)? = try archive.plain(object) { return (nil, nil, data) }
        guard case .dictionary(let own) = object else { return (nil, nil, nil) }
        let members: [(key: String, value: PropertyList)]
        if let archived = try archive.dictionary(of: object) {
            guard isRecord(archived.lazy.map(\.key)) else { return (archived.map(\.value), nil, nil) }
            members = archived
        } else {
            guard isRecord(own.keys) else { return (nil, nil, nil) }
            members = own.map { ($0.key, $0.value) }
        }
        var fields: Fields = [:]
        for (key, value) in members.prefix(256) where key != "$class" { fields[key] = try archive.plain(value) }
        return (nil, fields, nil)
    }

    private func visit(
        _ list: BinaryPropertyList, object: Int, _ budget: inout NodeBudget, depth: Int,
        _ body: (Result<Fields, FormatFault>) throws -> Void
    ) throws {
        guard depth < Self.depthBound else { return }
        let found: (members: [Int], value: PropertyList?)
        do throws(FormatFault) { found = try look(list, object, &budget) } catch { return try body(.failure(error)) }
        switch found.value {
        case .dictionary(let fields)?: return try body(.success(fields))
        case .data(let data)?: return try visit(data, depth: depth, body)
        default: for member in found.members { try visit(list, object: member, &budget, depth: depth + 1, body) }
        }
    }

    /// The members of a collection, or what may be a record.
    private func look(
        _ list: BinaryPropertyList, _ object: Int, _ budget: inout NodeBudget
    ) throws(FormatFault) -> (members: [Int], value: PropertyList?) {
        switch try list.item(object, &budget) {
        case .value(let value): return ([], value)
        case .array(let members): return (members, nil)
        case .dictionary(let members):
            var keys: [String] = []
            for member in members { keys.append(try list.key(member.key, &budget)) }
            guard isRecord(keys) else { return (members.map(\.value), nil) }
            return ([], try list.value(of: object, &budget))
        }
    }

    private func visit(
        _ value: PropertyList, depth: Int, _ body: (Result<Fields, FormatFault>) throws -> Void
    ) throws {
        guard depth < Self.depthBound else { return }
        switch value {
        case .data(let data): try visit(data, depth: depth, body)
        case .array(let members): for member in members { try visit(member, depth: depth + 1, body) }
        case .dictionary(let members):
            if isRecord(members.keys) { return try body(.success(members)) }
            for key in members.keys.sorted() {
                if let member = members[key] { try visit(member, depth: depth + 1, body) }
            }
        default: return
        }
    }

    /// Data with an archive of its own, as user defaults have objects.
    private func visit(_ data: Data, depth: Int, _ body: (Result<Fields, FormatFault>) throws -> Void) throws {
        let archive: KeyedArchive
        do { archive = try KeyedArchive(Array(data)) } catch { return try body(.failure(error)) }
        try visit(archive, archive.root, depth: depth + 1, body)
    }
}
