import Foundation

/// What the processes of a group use together.
struct GroupUsage: Sendable, Equatable {
    /// Resident memory in bytes.
    var memory = 0
    /// Open files.
    var descriptors = 0

    /// The present use of a group; nil where the system has no `/proc`, or if nothing of the group runs.
    static func of(group: pid_t) -> GroupUsage? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc") else { return nil }
        var usage = GroupUsage()
        var isFound = false
        for name in names where name.first?.isNumber == true {
            guard let fields = fields(of: name), fields.count > 21, Int32(fields[2]) == group else { continue }
            isFound = true
            // Field 24 of proc_pid_stat(5), in pages; the first two come before the name's bracket.
            usage.memory += (Int(fields[21]) ?? 0) * Int(getpagesize())
            let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(name)/fd")
            usage.descriptors += open?.count ?? 0
        }
        return isFound ? usage : nil
    }

    /// The fields of a process behind its name, which may contain blanks and brackets.
    private static func fields(of process: String) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        return text[text.index(after: end)...].split(separator: " ")
    }
}
