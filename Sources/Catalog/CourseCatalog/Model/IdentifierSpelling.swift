import Foundation

/// Unicode spells some texts in several ways (é as one scalar or two; K and the Kelvin sign). Ids have one spelling,
/// normal form C, so that comparing their bytes is enough.
enum IdentifierSpelling {
    static func normal(_ id: String) -> String {
        var id = id
        return id.withUTF8 { other(than: UnsafeRawBufferPointer($0)) } ?? id
    }

    /// The normal spelling of an id; nil if it is written so.
    static func other(than id: UnsafeRawBufferPointer) -> String? {
        guard id.contains(where: { $0 >= 0x80 }) else { return nil }
        let normalized = String(decoding: id, as: UTF8.self).precomposedStringWithCanonicalMapping
        return normalized.utf8.elementsEqual(id) ? nil : normalized
    }
}
