/// The limits of a playlist; one that exceeds any of them is refused with an error.
package enum PlaylistLimit {
    /// The whole text; also the total of all replacements of variables.
    package static let bytes = 16 << 20
    /// A line, and a value after its variables were replaced, in bytes.
    package static let line = 64 << 10
    /// Segments of a media playlist.
    package static let segments = 100_000
    /// Initialization sections of a media playlist.
    package static let maps = 10_000
    /// Variants of a master playlist.
    package static let variants = 5_000
    /// Renditions of a master playlist.
    package static let renditions = 20_000
    /// Periods of a presentation.
    package static let periods = 1_000
    /// Attributes of one tag.
    package static let attributes = 1_000
    /// Variables, and session keys.
    package static let variables = 1_000
    /// Active keys of different formats.
    package static let keys = 32
    /// The sum of active keys, counted again at each change.
    package static let keyChanges = 250_000
    /// Items of a list in an attribute.
    package static let items = 100
    /// An integer: the sum of two doesn't overflow.
    package static let integer: Int64 = 1 << 62
    /// The end of a byte range, and a rate: larger values aren't credible, and sums of sizes stay exact.
    package static let size: Int64 = 1 << 53
    /// A duration, in seconds: 115 days.
    package static let seconds = 1e7
}
