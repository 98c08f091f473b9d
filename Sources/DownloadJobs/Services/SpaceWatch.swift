package import DownloadStore
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

    /// That something doesn't fit.
    package func error(_ free: Int64, root: String) -> DownloadError {
        DownloadError(
            kind: .disk,
            message: """
                \(Self.size(free)) are free on the disk of \(root), --min-free-space wants \(Self.size(rule.floor)): what \
                doesn't fit waits for room
                """)
    }

    /// In the largest unit that it fills: `65.9 GiB`.
    private static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = Int64((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
