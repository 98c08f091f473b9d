package import RunSchedule

/// The free space on the disk of the partials, and the rule for it.
package struct SpaceWatch: Sendable {
    package let rule: FreeSpaceGuard
    /// Whether nobody has chosen the floor.
    package let isStandard: Bool
    /// Bytes; nil if unknown.
    package let free: @Sendable () -> Int64?

    package init(rule: FreeSpaceGuard, isStandard: Bool, free: @escaping @Sendable () -> Int64?) {
        self.rule = rule
        self.isStandard = isStandard
        self.free = free
    }
}
