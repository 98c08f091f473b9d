package import Foundation
import Synchronization
import YAMLSource

/// What a store calls its videos → what a catalog calls them, as the user wrote it down: YAML (`old name:
/// course/video`), or CSV with two columns.
///
/// Names that differ only in how Unicode composes their letters are the same name.
package final class NameMap: Sendable {
    /// Longer than this no map is.
    package static let longest = 64 << 20

    /// A video of a catalog.
    package struct Target: Sendable, Hashable {
        package var course: String
        package var video: String

        /// `course/video`; nil for any other text. What follows the first slash is the video.
        init?(_ text: String) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !text.utf8.contains(0) else { return nil }
            (course, video) = (String(parts[0]), String(parts[1]))
        }
    }

    private struct Entry {
        var name: String
        var target: Target
    }

    private let entries: [Entry]
    private let numbers: [String: Int]
    /// The numbers of the entries that were found.
    private let used = Mutex<Set<Int>>([])

    /// Reads a map: CSV if the path ends so, otherwise YAML.
    package init(data: Data, path: String) throws(SourceProblem) {
        guard data.count <= Self.longest else { throw .badFormat(path: path, .tooLarge) }
        let ending = path.split(separator: ".").last?.lowercased()
        let pairs =
            ending == "csv" || ending == "tsv"
            ? try Self.rows(of: data, path: path) : try Self.mapping(of: data, path: path)
        var entries: [Entry] = []
        var numbers: [String: Int] = [:]
        for (name, value, line) in pairs {
            guard !name.isEmpty, let target = Target(value) else { throw .badFormat(path: path, .line(line)) }
            if let number = numbers[name] {
                guard entries[number].target == target else { throw .badFormat(path: path, .line(line)) }
            } else {
                numbers[name] = entries.count
                entries.append(Entry(name: name, target: target))
            }
        }
        (self.entries, self.numbers) = (entries, numbers)
    }

    /// The video with this name.
    package func target(named name: String) -> Target? {
        guard let number = numbers[name] else { return nil }
        used.withLock { _ = $0.insert(number) }
        return entries[number].target
    }

    /// The video of a record: by its names, its key, its URL, and the names of its files: the whole path, its last
    /// component, and that without its ending.
    package func target(of record: SourceRecord) -> Target? {
        guard !entries.isEmpty else { return nil }
        for name in record.names + [record.key] + [record.url].compactMap(\.self) {
            if let target = target(named: name) { return target }
        }
        for path in record.names + [record.file?.path, record.partial?.path].compactMap(\.self) {
            if let target = target(ofFile: path) { return target }
        }
        return nil
    }

    private func target(ofFile path: String) -> Target? {
        if let target = target(named: path) { return target }
        guard let last = path.split(separator: "/").last.map(String.init) else { return nil }
        if let target = target(named: last) { return target }
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return nil }
        return target(named: String(last[..<dot]))
    }

    /// How many names it has.
    package var count: Int { entries.count }

    /// The names that haven't been found so far, in the order of the map.
    package var unused: [String] {
        let used = used.withLock { $0 }
        return entries.indices.filter { !used.contains($0) }.map { entries[$0].name }
    }

    private typealias Pair = (name: String, value: String, line: Int)

    private static func mapping(of data: Data, path: String) throws(SourceProblem) -> [Pair] {
        // A name and its video are two values.
        var limits = YAMLLimits(bytes: longest, nodes: 2_000_001, depth: 4, scalarBytes: 64 << 10)
        limits.memory = 512 << 20
        let node: YAMLNode
        let parsed: Result<YAMLNode, YAMLParseError> = data.withUnsafeBytes { bytes in
            do throws(YAMLParseError) {
                return .success(try YAMLNode.parse(bytes: bytes, file: path, limits: limits))
            } catch { return .failure(error) }
        }
        switch parsed {
        case .success(let whole): node = whole
        case .failure(let error):
            let line = error.diagnostics.first?.line ?? 0
            throw .badFormat(path: path, line > 0 ? .line(line) : .malformed)
        }
        if node.isNull { return [] }
        guard let mapping = node.mapping else { throw .badFormat(path: path, .line(node.location.line)) }
        var pairs: [Pair] = []
        pairs.reserveCapacity(mapping.count)
        for entry in mapping {
            guard let value = entry.value.string else {
                throw .badFormat(path: path, .line(entry.value.location.line))
            }
            pairs.append((entry.key, value, entry.keyLocation.line))
        }
        return pairs
    }

    /// Words of a header line's second column.
    private static let headers: Set<String> = [
        "course/video", "video", "target", "catalog", "to", "new", "new name", "new_name",
    ]

    private static func rows(of data: Data, path: String) throws(SourceProblem) -> [Pair] {
        var pairs: [Pair] = []
        var isFirst = true
        do {
            var csv = CSV()
            func take(_ row: CSV.Row) throws {
                defer { isFirst = false }
                if let fault = row.fault {
                    throw SourceProblem.badFormat(path: path, fault == .notText ? .notText : .line(row.line))
                }
                if row.fields.allSatisfy(\.isEmpty) { return }
                guard row.fields.count == 2 || row.fields.dropFirst(2).allSatisfy(\.isEmpty), row.fields.count > 1
                else {
                    throw SourceProblem.badFormat(path: path, .line(row.line))
                }
                if isFirst, headers.contains(row.fields[1].lowercased()) { return }
                pairs.append((row.fields[0], row.fields[1], row.line))
            }
            try data.withUnsafeBytes { try csv.feed($0, take) }
            try csv.finish(take)
        } catch let problem as SourceProblem {
            throw problem
        } catch { throw .badFormat(path: path, .malformed) }
        return pairs
    }
}
