import Foundation

/// The bytes of a partial that another program has downloaded, and that no server has proven yet: all that is known of
/// their version is their time.
package struct ForeignBytes: Sendable, Equatable {
    private static let word = "elsewhere"

    /// The time before which none of them had come, in nanoseconds since 1970; nil if nobody knows.
    package var since: Int64?
    /// The time that their file had, in nanoseconds since 1970; nil if nobody knows.
    package var dated: Int64?

    /// - Parameters:
    ///   - made: when their file was made; nil if its file system doesn't keep that.
    ///   - modified: when it was changed last, or what the other program wrote there.
    package init(made: Int64?, modified: Int64) {
        since = min(made ?? modified, modified)
        dated = modified
    }

    /// Nil unless a partial's position says that its bytes are another program's.
    package init?(position: String?) {
        guard let words = position?.split(separator: " "), words.first == Self.word[...] else { return nil }
        // Older versions kept no times.
        since = words.count == 3 ? Int64(words[1]) : nil
        dated = words.count == 3 ? Int64(words[2]) : nil
    }

    /// The position of their partial.
    package var position: String {
        guard let since, let dated else { return Self.word }
        return "\(Self.word) \(since) \(dated)"
    }

    /// Whether a server whose file was last modified at `modified`, in whole seconds since 1970, has had the same file
    /// since before the first of them.
    ///
    /// - Parameter lag: how far the server's clock is behind ours, in seconds.
    package func areOf(modified: Int64, lag: Double = 0) -> Bool {
        let second = 1_000_000_000.0
        // Downloaders that keep the server's date write whole seconds; a clock doesn't.
        if let dated, dated % 1_000_000_000 == 0, dated / 1_000_000_000 == modified { return true }
        guard let since else { return false }
        // The second in which it was modified has to be over.
        return (Double(modified) + 1 + max(0, lag)) * second <= Double(since)
    }
}
