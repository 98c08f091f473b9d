#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How much of the machine a process group gets.
enum ProcessPriority {
    /// What a remux runs at.
    static let niceness: Int32 = 10

    /// Gives a group, and what it starts later, niceness 10. A hint: nothing happens where it can't be done.
    ///
    /// It is done after the start and not by `nice` in front, which would be one more program to be found and would hide
    /// which one is missing; the few milliseconds before it don't matter. The priority of its reading and writing follows on
    /// Linux: without one of its own a process has the level (niceness + 20) / 5, here 6 of 0...7. The idle class is
    /// not asked for: beside a busy disk it gets nothing at all, and the remux would end at its time limit.
    static func lower(group: Int32) {
        guard let group = UInt32(exactly: group), group > 1 else { return }
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), group, niceness)
        #else
        _ = setpriority(PRIO_PGRP, group, niceness)
        #endif
    }
}
