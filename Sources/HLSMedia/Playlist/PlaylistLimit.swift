/// What a playlist may have at most; past any of these it is refused with an error.
package enum PlaylistLimit {
    /// Of the whole text; also what all variables together may be replaced by.
    package static let bytes = 32 << 20
    /// Of a line, and of a value after its variables were replaced, in bytes.
    package static let line = 64 << 10
    /// Segments of a media playlist.
    package static let segments = 200_000
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
    /// Of an integer: two of them add up without overflow.
    package static let integer: Int64 = 1 << 62
    /// Of a duration, in seconds.
    package static let seconds = 1e9
}
