/// Finds the field of a key by comparing two machine words; no string is made.
struct KeyTable {
    private struct Row {
        var low: UInt64
        var high: UInt64
        var field: CatalogField
    }

    private let rows: [Row]

    /// The keys of a level. None is longer than 16 bytes.
    init(_ level: CatalogLevel) {
        rows = level.fields.map { field in
            var key = field.key
            let (low, high) = key.withUTF8 { Self.words(UnsafeRawBufferPointer($0)) }
            return Row(low: low, high: high, field: field)
        }
    }

    func field(_ key: UnsafeRawBufferPointer) -> CatalogField? {
        guard key.count <= 16 else { return nil }
        let (low, high) = Self.words(key)
        for row in rows where row.low == low && row.high == high { return row.field }
        return nil
    }

    private static func words(_ text: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: text) }
        return words
    }
}
