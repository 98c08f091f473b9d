/// The number of connections for one file, as `--connections-per-file` gives it.
package enum ConnectionCount: Sendable, Equatable {
    /// More than one where slots would stand idle, and only as long as that makes it faster.
    case automatic
    case fixed(Int)
}

extension ConnectionCount: CustomStringConvertible {
    package var description: String { if case .fixed(let number) = self { "\(number)" } else { "auto" } }
}
