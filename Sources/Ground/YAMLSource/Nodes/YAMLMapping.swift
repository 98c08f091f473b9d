/// The entries of a mapping in the order in which they are written, each key once.
///
/// Two mappings are equal if they have equal values under the same keys, in any order.
package struct YAMLMapping: Sendable, Hashable, RandomAccessCollection {
    /// A key, its position, and its value.
    package struct Entry: Sendable {
        /// The key as written.
        package let key: String
        /// The start of the key.
        package let keyLocation: SourceLocation
        package let value: YAMLNode

        package init(key: String, keyLocation: SourceLocation, value: YAMLNode) {
            self.key = key
            self.keyLocation = keyLocation
            self.value = value
        }
    }

    private let entries: [Entry]

    /// A mapping of entries with unique keys.
    package init(_ entries: [Entry] = []) { self.entries = entries }

    package var startIndex: Int { entries.startIndex }
    package var endIndex: Int { entries.endIndex }
    package subscript(position: Int) -> Entry { entries[position] }

    /// The value under a key. Linear in the number of entries.
    package subscript(key: String) -> YAMLNode? { entry(key)?.value }

    /// The entry with a key. Linear in the number of entries.
    package func entry(_ key: String) -> Entry? { entries.first { $0.key == key } }

    package static func == (a: YAMLMapping, b: YAMLMapping) -> Bool {
        a.count == b.count && a.byKey == b.byKey
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(byKey) }

    private var byKey: [String: YAMLNode] {
        Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
