import Foundation

/// An archive of `NSKeyedArchiver`, as data: no class that it names is ever made.
///
/// Its objects are read when something refers to them, and what is read of all of them together is bounded.
package final class KeyedArchive {
    private enum Objects {
        case binary(BinaryPropertyList, [Int])
        case values([PropertyList])
    }

    private static let version: Int64 = 100_000

    private let objects: Objects
    private var budget: NodeBudget
    package let top: [String: PropertyList]

    /// Throws ``FormatFault/foreign`` if it is a property list, but no archive.
    package init(_ bytes: [UInt8]) throws(FormatFault) {
        var budget = NodeBudget(ofFile: bytes.count, times: 8)
        if bytes.starts(with: BinaryPropertyList.magic) {
            let list = try BinaryPropertyList(bytes)
            guard case .dictionary(let members) = try list.item(list.root, &budget) else { throw .foreign }
            var found: [String: Int] = [:]
            for member in members.prefix(64) { found[try list.key(member.key, &budget)] = member.value }
            guard let archiver = found["$archiver"], let version = found["$version"], let top = found["$top"],
                let objects = found["$objects"]
            else { throw .foreign }
            try Self.check(try list.value(of: archiver, &budget), try list.value(of: version, &budget))
            guard case .array(let members) = try list.item(objects, &budget) else { throw .malformed }
            self.objects = .binary(list, members)
            self.top = try Self.members(of: try list.value(of: top, &budget))
        } else {
            let list = try PropertyList(bytes)
            guard let archiver = list["$archiver"], let version = list["$version"], let top = list["$top"],
                let objects = list["$objects"]
            else { throw .foreign }
            try Self.check(archiver, version)
            guard case .array(let members) = objects else { throw .malformed }
            self.objects = .values(members)
            self.top = try Self.members(of: top)
        }
        self.budget = budget
    }

    private static func check(_ archiver: PropertyList, _ version: PropertyList) throws(FormatFault) {
        guard archiver == .string("NSKeyedArchiver"), version == .integer(Self.version) else { throw .foreign }
    }

    private static func members(of value: PropertyList) throws(FormatFault) -> [String: PropertyList] {
        guard case .dictionary(let members) = value else { throw .malformed }
        return members
    }

    /// The archived value, if there is one by the usual name, or only one.
    package var root: PropertyList? {
        top["root"] ?? top["NSKeyedArchiveRootObjectKey"] ?? (top.count == 1 ? top.values.first : nil)
    }

    /// What a reference leads to: the object with its fields, unread; other values as they are. Nil for `$null`.
    package func object(_ value: PropertyList?) throws(FormatFault) -> PropertyList? {
        guard let value else { return nil }
        guard case .uid(let uid) = value else { return value == .null ? nil : value }
        guard uid > 0 else { return nil }
        let found: PropertyList
        switch objects {
        case .binary(let list, let members):
            guard Int(uid) < members.count else { throw .malformed }
            found = try list.value(of: members[Int(uid)], &budget)
        case .values(let members):
            guard Int(uid) < members.count else { throw .malformed }
            found = members[Int(uid)]
            try budget.take(1)
        }
        // No archive has a reference there.
        if case .uid = found { throw .malformed }
        return found == .string("$null") ? nil : found
    }

    /// The name of an object's class, and those of the classes above it; empty for a value without a class.
    package func classNames(of object: PropertyList) throws(FormatFault) -> [String] {
        guard let definition = try self.object(object["$class"]) else { return [] }
        guard case .array(let names)? = definition["$classes"] else {
            return definition["$classname"]?.text.map { [$0] } ?? []
        }
        return names.compactMap(\.text)
    }

    /// A scalar, through references and the objects that wrap one: text, data, dates, addresses, numbers. Anything else
    /// is returned as ``object(_:)`` does.
    package func plain(_ value: PropertyList?) throws(FormatFault) -> PropertyList? { try plain(value, depth: 0) }

    private func plain(_ value: PropertyList?, depth: Int) throws(FormatFault) -> PropertyList? {
        guard depth < 8 else { throw .tooDeep }
        guard let object = try object(value) else { return nil }
        guard case .dictionary(let fields) = object else { return object }
        for key in ["NS.string", "NS.bytes", "NS.data", "NS.intval", "NS.dblval", "NS.boolval"] {
            if let field = fields[key] {
                let inner = try plain(field, depth: depth + 1)
                // The bytes of an archived mutable text.
                guard key == "NS.bytes", case .data(let data)? = inner,
                    try classNames(of: object).contains("NSString")
                else { return inner }
                return String(validating: data, as: UTF8.self).map { .string($0) }
            }
        }
        if case .real(let seconds)? = fields["NS.time"] { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        guard fields["NS.relative"] != nil else { return object }
        return try address(object, depth: depth)
    }

    /// The text of an address, with what it is relative to.
    private func address(_ object: PropertyList, depth: Int) throws(FormatFault) -> PropertyList? {
        guard let relative = try plain(object["NS.relative"], depth: depth + 1)?.text else { return nil }
        guard let base = try plain(object["NS.base"], depth: depth + 1)?.text else { return .string(relative) }
        guard relative.utf8.count + base.utf8.count < 16384,
            let url = URL(string: relative, relativeTo: URL(string: base))
        else { return nil }
        return .string(url.absoluteString)
    }

    /// The members of an archived array or set, unread; nil for anything else.
    package func members(of object: PropertyList) throws(FormatFault) -> [PropertyList]? {
        switch object {
        case .array(let members): return members
        case .dictionary(let fields):
            guard fields["NS.keys"] == nil, case .array(let members)? = fields["NS.objects"] else { return nil }
            return members
        default: return nil
        }
    }

    /// The members of an archived dictionary, unread; nil for anything else. Keys that aren't text are left out.
    package func dictionary(of object: PropertyList) throws(FormatFault) -> [(key: String, value: PropertyList)]? {
        guard case .array(let keys)? = object["NS.keys"], case .array(let values)? = object["NS.objects"] else {
            return nil
        }
        guard keys.count == values.count else { throw .malformed }
        var members: [(key: String, value: PropertyList)] = []
        for (key, value) in zip(keys, values) {
            guard case .string(let name)? = try plain(key) else { continue }
            members.append((name, value))
        }
        return members
    }

    /// The address of an archived `NSURLRequest`: the first in the order of its fields, which are numbered.
    package func requestAddress(_ value: PropertyList?) throws(FormatFault) -> String? {
        try requestAddress(value, depth: 0)
    }

    private func requestAddress(_ value: PropertyList?, depth: Int) throws(FormatFault) -> String? {
        guard depth < 4, let object = try object(value) else { return nil }
        if let address = try plain(value)?.webAddress { return address }
        guard case .dictionary(let fields) = object else { return nil }
        let keys = fields.keys.filter { $0 != "$class" }.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        for key in keys.prefix(16) {
            if let address = try requestAddress(fields[key], depth: depth + 1) { return address }
        }
        return nil
    }
}
