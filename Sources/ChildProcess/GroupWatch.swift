/// Who is told of the process groups that are at work, so that somebody ends them should this process die.
///
/// Nothing on the way to a program lets the kernel do it (a death signal has to be asked for between fork and exec), so
/// it takes a process that outlives this one.
package struct GroupWatch: Sendable {
    /// A group with this number is at work; the program is running already.
    package var began: @Sendable (Int32) async -> Void
    /// The group is no more. Called while its number can't have been given to anybody else.
    package var ended: @Sendable (Int32) async -> Void

    /// Tells nobody: the group outlives a process that is killed.
    package static let none = GroupWatch(began: { _ in }, ended: { _ in })

    package init(
        began: @escaping @Sendable (Int32) async -> Void, ended: @escaping @Sendable (Int32) async -> Void
    ) {
        self.began = began
        self.ended = ended
    }
}
