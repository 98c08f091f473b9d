/// Which of a video's views are wanted: the lecturer, the slides, both in one picture.
package enum StreamSelection: Sendable, Hashable {
    /// What the provider calls the main one.
    case main
    case all
    /// All of these roles that there are, the first one as the video's own file; the main one if there is none.
    case roles([String])

    /// The limit on a role's bytes.
    package static let roleBound = 64
}
