package import FileSystem
import Foundation
import Synchronization
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file system in memory with the rules of a journaling one: names change in order, and any flush makes all earlier
/// changes of names durable; the bytes of a file are durable once that file is flushed. Each call can fail, and before
/// each call the process can be killed.
package final class MemoryDisk: FileSystemCalls {
    struct Inode: Sendable {
        /// The entries of a folder; nil for a file.
        var names: [String: UInt64]?
        var bytes: [UInt8] = []
        /// The bytes at the last flush.
        var durable: [UInt8] = []
        var modified: Int64 = 0
        var links = 1
    }

    /// What is on the disk.
    struct Content: Sendable {
        var inodes: [UInt64: Inode] = [root: Inode(names: [:])]
        /// The changes of names since the last flush: the folders and links before each of them.
        var undo: [[UInt64: (names: [String: UInt64]?, links: Int)]] = []
        var last: UInt64 = 1
        var time: Int64 = 1_800_000_000_000_000_000

        static let root: UInt64 = 1

        /// After a power loss that takes the last changes of names which no flush followed, as many as `share` says, and
        /// the bytes that weren't flushed.
        func afterPowerLoss(_ share: Double) -> Content {
            var content = self
            for _ in 0..<Int((share * Double(undo.count + 1)).rounded(.down)) {
                guard let before = content.undo.popLast() else { break }
                for (number, change) in before {
                    content.inodes[number]?.names = change.names
                    content.inodes[number]?.links = change.links
                }
            }
            content.undo = []
            for (number, inode) in content.inodes where inode.names == nil && inode.bytes != inode.durable {
                content.inodes[number]?.bytes = inode.durable
                content.time += 1
                content.inodes[number]?.modified = content.time
            }
            return content
        }

        mutating func now() -> Int64 {
            time += 1000
            return time
        }

        /// Remembers folders and links before they change.
        mutating func willChange(_ numbers: UInt64?...) {
            var before: [UInt64: (names: [String: UInt64]?, links: Int)] = [:]
            for number in numbers {
                if let number, let inode = inodes[number] { before[number] = (inode.names, inode.links) }
            }
            undo.append(before)
        }
    }

    /// What happens at which call, counted from 1.
    package struct Faults: Sendable {
        /// The call fails.
        package var errors: [Int: Errno] = [:]
        /// The same, counted over renames only.
        package var renames: [Int: Errno] = [:]
        /// The process is killed before this call.
        package var kill: Int?
        /// Folders that can't be opened or listed, by their paths.
        package var unreadable: Set<String> = []

        package init() {}
    }

    struct State: Sendable {
        var content = Content()
        var descriptors: [CInt: UInt64] = [:]
        var nextDescriptor: CInt = 1 << 20
        var faults = Faults()
        var calls = 0
        var renames = 0
        var isDead = false
        var hasFailed = false
    }

    private let state: Mutex<State>
    /// Called once, at the instant of the kill.
    private let killed = Mutex<(@Sendable () -> Void)?>(nil)

    package init() { state = Mutex(State()) }

    init(_ content: Content, _ faults: Faults = Faults()) {
        var fresh = State()
        fresh.content = content
        fresh.faults = faults
        state = Mutex(fresh)
    }

    var content: Content { state.withLock { $0.content } }
    /// How many calls have been made.
    package var calls: Int { state.withLock { $0.calls } }
    /// Whether a call has failed as planned.
    var hasFailed: Bool { state.withLock { $0.hasFailed } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Somebody else's change.
    func change(_ body: (inout Content) -> Void) { state.withLock { body(&$0.content) } }

    func onKill(_ body: @escaping @Sendable () -> Void) { killed.withLock { $0 = body } }

    /// Counts a call, and fails or kills if that is planned.
    private func call<Value>(
        isRename: Bool = false, _ body: (inout State) throws(Errno) -> Value
    ) throws(Errno) -> Value {
        let (fate, dies): (Errno?, Bool) = state.withLock { state in
            guard !state.isDead else { return (.ioError, false) }
            state.calls += 1
            if state.faults.kill == state.calls {
                state.isDead = true
                return (.ioError, true)
            }
            if isRename { state.renames += 1 }
            guard
                let error = state.faults.errors[state.calls] ?? (isRename ? state.faults.renames[state.renames] : nil)
            else { return (nil, false) }
            state.hasFailed = true
            return (error, false)
        }
        if dies { killed.withLock { $0.take() }?() }
        if let fate { throw fate }
        return try state.withLock { state throws(Errno) in try body(&state) }
    }

    // MARK: opening

    package func openFolder(at path: FilePath, flags: CInt) throws(Errno) -> CInt {
        try call { state throws(Errno) in try state.open(try state.walk(path.string, from: Content.root)) }
    }

    package func makeFolder(at path: FilePath) throws(Errno) {
        try call { state throws(Errno) in
            let above = try state.walk(path.removingLastComponent().string, from: Content.root)
            try state.makeFolder(path.lastComponent?.string ?? "", in: above)
        }
    }

    package func status(at path: FilePath) throws(Errno) -> EntryStatus {
        try call { state throws(Errno) in state.status(try state.walk(path.string, from: Content.root)) }
    }

    package func open(_ name: String, in folder: CInt, flags: CInt, mode: UInt16) throws(Errno) -> CInt {
        try call { state throws(Errno) in
            let above = try state.number(folder)
            if let number = try state.names(above)[name] {
                let isFolder = state.content.inodes[number]?.names != nil
                if flags & O_CREAT != 0, flags & O_EXCL != 0 { throw .fileExists }
                if flags & O_DIRECTORY != 0, !isFolder { throw .notDirectory }
                if isFolder, flags & (O_WRONLY | O_RDWR) != 0 { throw .isDirectory }
                return try state.open(number)
            }
            guard flags & O_CREAT != 0 else { throw .noSuchFileOrDirectory }
            let number = state.add(Inode(modified: state.content.now()), name, to: above)
            return try state.open(number)
        }
    }

    package func open(beneath path: String, in folder: CInt, flags: CInt) throws(Errno) -> CInt {
        try call { state throws(Errno) in
            let number = try state.walk(path, from: try state.number(folder))
            if flags & O_DIRECTORY != 0, state.content.inodes[number]?.names == nil { throw .notDirectory }
            return try state.open(number)
        }
    }

    package func close(_ descriptor: CInt) { state.withLock { _ = $0.descriptors.removeValue(forKey: descriptor) } }

    // MARK: looking

    package func status(of name: String, in folder: CInt) throws(Errno) -> EntryStatus {
        try call { state throws(Errno) in
            guard let number = try state.names(try state.number(folder))[name] else { throw .noSuchFileOrDirectory }
            return state.status(number)
        }
    }

    package func status(of descriptor: CInt) throws(Errno) -> EntryStatus {
        try call { state throws(Errno) in state.status(try state.number(descriptor)) }
    }

    package func forEachEntry(
        of folder: CInt, _ body: (_ name: UnsafeRawBufferPointer, _ isFolder: Bool?) throws(Errno) -> Bool
    ) throws(Errno) {
        let entries = try call { state throws(Errno) in
            try state.names(try state.number(folder)).sorted { $0.key < $1.key }.map { name, number in
                (Array(name.utf8), state.content.inodes[number]?.names != nil)
            }
        }
        for (name, isFolder) in entries {
            let goesOn = try name.withUnsafeBufferPointer { bytes throws(Errno) in
                try body(UnsafeRawBufferPointer(bytes), isFolder)
            }
            guard goesOn else { return }
        }
    }

    package func checkWritable(_ folder: CInt) throws(Errno) { try call { _ throws(Errno) in } }

    package func space(_ descriptor: CInt) throws(Errno) -> VolumeSpace? { nil }

    // MARK: names

    package func makeFolder(_ name: String, in folder: CInt) throws(Errno) {
        try call { state throws(Errno) in try state.makeFolder(name, in: try state.number(folder)) }
    }

    package func rename(
        _ name: String, in folder: CInt, to newName: String, in newFolder: CInt, _ mode: RenameMode
    ) throws(Errno) {
        try call(isRename: true) { state throws(Errno) in
            let (from, to) = (try state.number(folder), try state.number(newFolder))
            guard let number = try state.names(from)[name] else { throw .noSuchFileOrDirectory }
            guard state.content.inodes[to] != nil else { throw .noSuchFileOrDirectory }
            let there = try state.names(to)[newName]
            switch mode {
            case .exclusive: if there != nil { throw .fileExists }
            case .exchanging: if there == nil { throw .noSuchFileOrDirectory }
            case .replacing: if there == number { return }
            }
            state.content.willChange(from, to, there)
            state.content.inodes[from]?.names?[name] = mode == .exchanging ? there : nil
            state.content.inodes[to]?.names?[newName] = number
            if mode == .replacing, let there { state.content.inodes[there]?.links -= 1 }
        }
    }

    package func link(_ name: String, in folder: CInt, to newName: String, in newFolder: CInt) throws(Errno) {
        try call { state throws(Errno) in
            let (from, to) = (try state.number(folder), try state.number(newFolder))
            guard let number = try state.names(from)[name] else { throw .noSuchFileOrDirectory }
            if try state.names(to)[newName] != nil { throw .fileExists }
            state.content.willChange(to, number)
            state.content.inodes[to]?.names?[newName] = number
            state.content.inodes[number]?.links += 1
        }
    }

    package func unlink(_ name: String, in folder: CInt) throws(Errno) {
        try call { state throws(Errno) in
            let above = try state.number(folder)
            guard let number = try state.names(above)[name] else { throw .noSuchFileOrDirectory }
            guard state.content.inodes[number]?.names == nil else { throw .isDirectory }
            state.content.willChange(above, number)
            state.content.inodes[above]?.names?[name] = nil
            state.content.inodes[number]?.links -= 1
        }
    }

    package func removeFolder(_ name: String, in folder: CInt) throws(Errno) {
        try call { state throws(Errno) in
            let above = try state.number(folder)
            guard let number = try state.names(above)[name] else { throw .noSuchFileOrDirectory }
            guard let names = state.content.inodes[number]?.names else { throw .notDirectory }
            guard names.isEmpty else { throw .directoryNotEmpty }
            state.content.willChange(above, number)
            state.content.inodes[above]?.names?[name] = nil
            state.content.inodes[number]?.links -= 1
        }
    }

    // MARK: bytes

    package func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int {
        let bytes = try call { state throws(Errno) in
            state.content.inodes[try state.number(descriptor)]?.bytes.dropFirst(Int(offset)).prefix(buffer.count) ?? []
        }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func write(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try call { state throws(Errno) in
            let number = try state.number(descriptor)
            var all = state.content.inodes[number]?.bytes ?? []
            let (start, end) = (Int(offset), Int(offset) + bytes.count)
            if all.count < end { all += [UInt8](repeating: 0, count: end - all.count) }
            all.replaceSubrange(start..<end, with: bytes)
            state.content.inodes[number]?.bytes = all
            let time = state.content.now()
            state.content.inodes[number]?.modified = time
            return bytes.count
        }
    }

    package func truncate(_ descriptor: CInt, to size: Int64) throws(Errno) {
        try call { state throws(Errno) in
            let number = try state.number(descriptor)
            var all = (state.content.inodes[number]?.bytes ?? []).prefix(Int(size))
            if all.count < size { all += [UInt8](repeating: 0, count: Int(size) - all.count) }
            state.content.inodes[number]?.bytes = Array(all)
            let time = state.content.now()
            state.content.inodes[number]?.modified = time
        }
    }

    package func setMode(_ descriptor: CInt, _ mode: UInt16) throws(Errno) { try call { _ throws(Errno) in } }

    package func setTime(_ descriptor: CInt, _ nanoseconds: Int64) throws(Errno) {
        try call { state throws(Errno) in
            state.content.inodes[try state.number(descriptor)]?.modified = nanoseconds
        }
    }

    package func flush(_ descriptor: CInt) throws(Errno) {
        try call { state throws(Errno) in
            let number = try state.number(descriptor)
            if let bytes = state.content.inodes[number]?.bytes { state.content.inodes[number]?.durable = bytes }
            state.content.undo = []
        }
    }

    package func flushData(_ descriptor: CInt) throws(Errno) { try flush(descriptor) }
}

extension MemoryDisk.State {
    typealias Inode = MemoryDisk.Inode

    mutating func open(_ number: UInt64) throws(Errno) -> CInt {
        if !faults.unreadable.isEmpty, content.inodes[number]?.names != nil,
            let path = content.path(of: number), faults.unreadable.contains(path)
        {
            throw .permissionDenied
        }
        nextDescriptor += 1
        descriptors[nextDescriptor] = number
        return nextDescriptor
    }

    func number(_ descriptor: CInt) throws(Errno) -> UInt64 {
        guard let number = descriptors[descriptor] else { throw .badFileDescriptor }
        return number
    }

    func names(_ number: UInt64) throws(Errno) -> [String: UInt64] {
        guard let inode = content.inodes[number] else { throw .noSuchFileOrDirectory }
        guard let names = inode.names else { throw .notDirectory }
        return names
    }

    func walk(_ path: String, from start: UInt64) throws(Errno) -> UInt64 {
        var number = start
        for name in path.split(separator: "/") where name != "." {
            guard let next = try names(number)[String(name)] else { throw .noSuchFileOrDirectory }
            number = next
        }
        return number
    }

    func status(_ number: UInt64) -> EntryStatus {
        let inode = content.inodes[number] ?? Inode()
        let facts = FileFacts(
            size: Int64(inode.bytes.count), modified: inode.modified, inode: number, links: inode.links)
        return EntryStatus(entry: inode.names == nil ? .file(facts) : .folder, device: 1, inode: number)
    }

    mutating func add(_ inode: Inode, _ name: String, to above: UInt64) -> UInt64 {
        content.last += 1
        content.willChange(above)
        content.inodes[content.last] = inode
        content.inodes[above]?.names?[name] = content.last
        return content.last
    }

    mutating func makeFolder(_ name: String, in above: UInt64) throws(Errno) {
        if try names(above)[name] != nil { throw .fileExists }
        // A folder that has been removed takes no names.
        guard above == MemoryDisk.Content.root || content.path(of: above) != nil else { throw .noSuchFileOrDirectory }
        _ = add(Inode(names: [:], modified: content.now()), name, to: above)
    }
}
