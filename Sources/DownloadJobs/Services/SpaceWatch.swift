package import RunSchedule

/// The free space on the disk of the partials, and the rule for it.
package struct SpaceWatch: Sendable {
    package let rule: FreeSpaceGuard
    /// Bytes; nil if unknown.
    package let free: @Sendable () -> Int64?

    package init(rule: FreeSpaceGuard, free: @escaping @Sendable () -> Int64?) {
        self.rule = rule
        self.free = free
    }
}
