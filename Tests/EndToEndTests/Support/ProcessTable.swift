import Foundation
import SystemPackage

/// The processes of this machine at one moment, from /proc.
struct ProcessTable {
    /// A process; its start time distinguishes it from a later one with the same number.
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
            guard let pid = Int32(name), let stat = text("/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")")
            else { continue }
            // From the third field on: state, parent, …, and the 22nd is the start.
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            guard fields.count > 19, fields[0] != "Z", let parent = Int32(fields[1]) else { continue }
            let folder = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
            let command = text("/proc/\(pid)/cmdline") ?? ""
            table.entries[pid] = Entry(
                pid: pid, parent: parent, start: String(fields[19]), folder: folder ?? "",
                command: command.replacing("\0", with: " "))
        }
        return table
    }

    /// Processor time of a process so far, in hundredths of a second.
    static func ticks(of pid: Int32) -> Int {
        guard let stat = text("/proc/\(pid)/stat"), let end = stat.lastIndex(of: ")") else { return 0 }
        // The 14th and 15th field: user and system.
        return stat[stat.index(after: end)...].split(separator: " ").dropFirst(11).prefix(2).compactMap { Int($0) }
            .reduce(0, +)
    }

    /// The beginning of a file in /proc, which is enough. Foundation never frees what it takes for an empty one, as those
    /// of the kernel's threads are.
    private static func text(_ path: String) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return nil }
        defer { try? file.close() }
        return String(unsafeUninitializedCapacity: 4096) { buffer in
            (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
    }

    /// Waits until none of these is left, at most 10 s; those that are.
    static func end(of others: [Entry]) async throws -> [Entry] {
        var left = others
        for _ in 0..<500 {
            left = now().remaining(others)
            guard !left.isEmpty else { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        return left
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
