import FileSystem

/// What somebody sees who looks at the disk from outside, or changes it.
extension MemoryDisk.Content {
    /// The path of a folder from the root, without a slash at the beginning; nil if it has none.
    func path(of number: UInt64) -> String? {
        if number == Self.root { return "" }
        for (above, inode) in inodes {
            guard let name = inode.names?.first(where: { $0.value == number })?.key, let folder = path(of: above) else {
                continue
            }
            return folder.isEmpty ? name : "\(folder)/\(name)"
        }
        return nil
    }

    /// All files beneath a folder, by their paths from it.
    func files(beneath folder: String) -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        func collect(_ number: UInt64, _ prefix: String) {
            for (name, entry) in inodes[number]?.names ?? [:] {
                guard let inode = inodes[entry] else { continue }
                if inode.names == nil {
                    files[prefix + name] = inode.bytes
                } else {
                    collect(entry, "\(prefix)\(name)/")
                }
            }
        }
        if let number = number(at: folder) { collect(number, "") }
        return files
    }

    func number(at path: String) -> UInt64? {
        var number = Self.root
        for name in path.split(separator: "/") {
            guard let next = inodes[number]?.names?[String(name)] else { return nil }
            number = next
        }
        return number
    }

    /// Writes somebody's file, durable, with the folders above it. False if something is there.
    mutating func put(_ bytes: [UInt8], at path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        var above = Self.root
        for (index, name) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard let names = inodes[above]?.names else { return false }
            if let there = names[name] {
                if isLast { return false }
                above = there
                continue
            }
            last += 1
            let time = now()
            inodes[last] =
                isLast
                ? MemoryDisk.Inode(bytes: bytes, durable: bytes, modified: time)
                : MemoryDisk.Inode(names: [:], modified: time)
            inodes[above]?.names?[name] = last
            above = last
        }
        undo = []
        return true
    }

    /// Removes somebody's file, durable.
    mutating func remove(_ path: String) {
        guard let slash = path.lastIndex(of: "/"), let above = number(at: String(path[..<slash])) else { return }
        inodes[above]?.names?[String(path[path.index(after: slash)...])] = nil
        undo = []
    }
}
