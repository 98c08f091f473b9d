/// Reports running process groups to a watchdog that ends them if this process dies.
///
/// The kernel can't do that for a program started this way (a death signal has to be requested between fork and exec),
/// so it takes a process that outlives this one.
package struct GroupWatch: Sendable {
    /// A group with this number is running; the program has been started already.
    package var began: @Sendable (Int32) async -> Void
    /// The group has ended. Called while its number can't have been reused.
    package var ended: @Sendable (Int32) async -> Void

    /// No watchdog: the groups of a killed process go on running.
    package static let none = GroupWatch(began: { _ in }, ended: { _ in })

    package init(
        began: @escaping @Sendable (Int32) async -> Void, ended: @escaping @Sendable (Int32) async -> Void
    ) {
        self.began = began
        self.ended = ended
    }
}
