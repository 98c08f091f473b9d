/// The number of downloads that may be active at once, as `--jobs` gives it.
package enum JobCount: Sendable, Equatable {
    /// As many as the link takes.
    case automatic
    case fixed(Int)

    /// The number at the beginning of a run.
    package var first: Int {
        switch self {
        case .automatic: 3
        case .fixed(let number): number
        }
    }

    /// The number that the user gave; nil if that wasn't one.
    package var fixed: Int? { if case .fixed(let number) = self { number } else { nil } }
}

extension JobCount: CustomStringConvertible {
    package var description: String { fixed.map(String.init) ?? "auto" }
}
