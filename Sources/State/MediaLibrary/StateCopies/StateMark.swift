import FileSystem
import Foundation
import TextFormats

/// What says which state of a shard a copy is of: `state.json` beside it. Anybody may have written it: the values are
/// safe to print, and may be wrong.
package struct StateMark: Sendable, Hashable, Codable {
    /// 32 hexadecimal digits; the same for all copies of one state.
    package var state: String
    /// 32 hexadecimal digits of this copy alone.
    package var copy: String
    /// The machine that made it.
    package var host: String

    package init(state: String, copy: String, host: String) {
        self.state = state
        self.copy = copy
        self.host = host
    }

    /// Nil if these bytes aren't a mark.
    init?(_ bytes: Data) {
        guard var mark = try? JSONReader.decode(StateMark.self, from: bytes) else { return nil }
        mark.state = TextSanitizer.of(mark.state, limit: 128)
        mark.copy = TextSanitizer.of(mark.copy, limit: 128)
        mark.host = TextSanitizer.of(mark.host, limit: 255)
        self = mark
    }
}
