import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LibraryFolder {
    /// Calls `body` with the path of everything in the library that is no folder, coursefetch's own folder left out. No link
    /// is followed. Ends early when `body` returns false.
    ///
    /// - Returns: folders that could not be read.
    package func walk(_ body: (String) -> Bool) -> [String] {
        var unreadable: [String] = []
        var open = [""]
        while let path = open.popLast() {
            do {
                guard let folder = try folder(path) else { continue }
                var goesOn = true
                try Self.entries(of: folder) { name, isFolder in
                    if path.isEmpty, name == LibraryPath.privateFolder { return true }
                    let entry = path.isEmpty ? name : "\(path)/\(name)"
                    if isFolder { open.append(entry) } else { goesOn = body(entry) }
                    return goesOn
                }
                if !goesOn { return unreadable }
            } catch {
                unreadable.append(path)
            }
        }
        return unreadable
    }

    private static func entries(
        of folder: FolderHandle, _ body: (_ name: String, _ isFolder: Bool) -> Bool
    ) throws(Errno) {
        let descriptor = try systemCall { openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let stream = fdopendir(descriptor) else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw Errno(rawValue: errno) }
                return
            }
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            if name == "." || name == ".." { continue }
            var isFolder = entry.pointee.d_type == UInt8(DT_DIR)
            // Some file systems don't tell the kind of an entry.
            if entry.pointee.d_type == UInt8(DT_UNKNOWN) { isFolder = try folder.entry(name) == .folder }
            guard body(name, isFolder) else { return }
        }
    }
}
