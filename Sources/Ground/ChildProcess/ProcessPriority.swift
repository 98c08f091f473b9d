#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The share of the machine for a process group.
enum ProcessPriority {
    /// The niceness of a remux.
    static let niceness: Int32 = 10

    /// Gives a group, and its later children, niceness 10. A hint: a failure is ignored.
    ///
    /// It is done after the start and not with `nice` in front, which would be one more program to be found and would
    /// hide which one is missing; the few milliseconds before don't matter. The I/O priority follows on Linux: a
    /// process without its own has the level (niceness + 20) / 5, here 6 of 0...7. The idle class is not used: beside a
    /// busy disk it gets no I/O at all, and the remux would end at its time limit.
    static func lower(group: Int32) {
        guard let group = UInt32(exactly: group), group > 1 else { return }
        #if canImport(Glibc)
        _ = setpriority(__priority_which_t(PRIO_PGRP.rawValue), group, niceness)
        #else
        _ = setpriority(PRIO_PGRP, group, niceness)
        #endif
    }
}
