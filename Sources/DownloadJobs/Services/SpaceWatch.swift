package import RunSchedule

/// How much is free on the disk of the partials, and the rule about it.
package struct SpaceWatch: Sendable {
    package let rule: FreeSpaceGuard
    /// Bytes; nil if it can't be told.
    package let free: @Sendable () -> Int64?

    package init(rule: FreeSpaceGuard, free: @escaping @Sendable () -> Int64?) {
        self.rule = rule
        self.free = free
    }
}
