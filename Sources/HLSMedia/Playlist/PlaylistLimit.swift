/// What a playlist may have at most; past any of these it is refused with an error.
package enum PlaylistLimit {
    /// Of the whole text; also what all variables together may be replaced by.
    package static let bytes = 16 << 20
    /// Of a line, and of a value after its variables were replaced, in bytes.
    package static let line = 64 << 10
    /// Segments of a media playlist.
    package static let segments = 100_000
    /// Initialization sections of a media playlist.
    package static let maps = 10_000
    /// Variants of a master playlist.
    package static let variants = 5_000
    /// Renditions of a master playlist.
    package static let renditions = 20_000
    /// Attributes of one tag.
    package static let attributes = 1_000
    /// Variables, and session keys.
    package static let variables = 1_000
    /// Keys of different formats in force at once.
    package static let keys = 32
    /// Of all keys in force, counted again whenever one of them changes.
    package static let keyChanges = 250_000
    /// Items of a list in an attribute.
    package static let items = 100
    /// Of an integer: two of them add up without overflow.
    package static let integer: Int64 = 1 << 62
    /// Of the place where a byte range ends, and of a rate: what is beyond is a lie, and sums of sizes stay exact.
    package static let size: Int64 = 1 << 53
    /// Of a duration, in seconds: 115 days.
    package static let seconds = 1e7
}
