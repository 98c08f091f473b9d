import Foundation
import SystemPackage

/// The processes of this machine at one moment, as /proc tells them.
struct ProcessTable {
    /// A process; its start tells it from a later one of the same number.
    struct Entry: Hashable {
        var pid: Int32
        var parent: Int32
        var start: String
        var folder: String
        var command: String
    }

    private var entries: [Int32: Entry] = [:]

    static func now() -> ProcessTable {
        var table = ProcessTable()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = Int32(name), let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
                let end = stat.lastIndex(of: ")")
            else { continue }
            // From the third field on: state, parent, …, and the 22nd is the start.
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            guard fields.count > 19, fields[0] != "Z", let parent = Int32(fields[1]) else { continue }
            let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
            let command = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
            table.entries[pid] = Entry(
                pid: pid, parent: parent, start: String(fields[19]), folder: folder ?? "",
                command: String(decoding: command.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self))
        }
        return table
    }

    /// Processor time of a process so far, in hundredths of a second.
    static func ticks(of pid: Int32) -> Int {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return 0 }
        // The 14th and 15th field: user and system.
        return stat[stat.index(after: end)...].split(separator: " ").dropFirst(11).prefix(2).compactMap { Int($0) }
            .reduce(0, +)
    }

    /// Those whose working directory is in a folder.
    func within(_ folder: FilePath) -> [Entry] {
        entries.values.filter { $0.folder == folder.string || $0.folder.hasPrefix(folder.string + "/") }
    }

    /// The children of a process, and theirs.
    func descendants(of pid: Int32) -> [Entry] {
        let children = entries.values.filter { $0.parent == pid }
        return children + children.flatMap { descendants(of: $0.pid) }
    }

    /// Which of these are still there.
    func remaining(_ others: [Entry]) -> [Entry] {
        others.filter { entries[$0.pid]?.start == $0.start }
    }
}
