package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The result of `stat`, as far as the trust in plugins and settings needs it.
package struct FileStatus {
    private let status: stat
    private let path: FilePath

    /// Follows links; nil if there is no such file.
    package init?(_ path: FilePath) {
        var status = stat()
        guard stat(path.string, &status) == 0 else { return nil }
        self.status = status
        self.path = path
    }

    package var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    package var isFile: Bool { status.st_mode & S_IFMT == S_IFREG }
    package var owner: UInt32 { status.st_uid }

    /// Whether this process may execute it.
    package var isExecutable: Bool { isFile && access(path.string, X_OK) == 0 }

    /// The reason why it isn't safe to run files at this path, or nil: the owner must be this process's user or root,
    /// nobody else may write it, and the same applies to every folder above it, links resolved.
    ///
    /// A folder above that everybody may write is accepted if it is root's and sticky, like `/tmp`: there users can't
    /// rename files of others. One of root's that a group of the system may write (`staff` has `/usr/local`) is
    /// accepted, too.
    package static func distrust(_ path: FilePath) -> String? {
        guard let real = realPath(path) else { return nil }
        // The path may contain links: their folders matter as much as the target's.
        for start in Set([path, real]) {
            guard let status = FileStatus(start) else { continue }
            if let reason = status.ownedByStranger ?? status.writableByOthers { return reason }
            var folder = start
            while folder.removeLastComponent() {
                guard let status = FileStatus(folder) else { continue }
                if let reason = status.ownedByStranger ?? (status.isSharedByRoot ? nil : status.writableByOthers) {
                    return reason
                }
            }
        }
        return nil
    }

    private static func realPath(_ path: FilePath) -> FilePath? {
        guard let resolved = realpath(path.string, nil) else { return nil }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    /// The reason why its owner may not decide what this process runs, or nil.
    package var ownedByStranger: String? {
        guard status.st_uid != 0, status.st_uid != geteuid() else { return nil }
        let name = getpwuid(status.st_uid)?.pointee.pw_name.map { String(cString: $0) }
        return "\(path) belongs to \(name.map { "the user \($0)" } ?? "user \(status.st_uid)")"
    }

    private var isSharedByRoot: Bool {
        guard isFolder, status.st_uid == 0 else { return false }
        return status.st_mode & S_ISVTX != 0 || (status.st_mode & S_IWOTH == 0 && status.st_gid < 100)
    }

    /// The reason why somebody other than its owner could change it, or nil.
    ///
    /// Writable by the group is accepted if the group is the owner's own: with the owner's name and without another
    /// member. Such files are the result of the umask 002 on many systems.
    package var writableByOthers: String? {
        if status.st_mode & S_IWOTH != 0 { return "\(path) can be written by others" }
        if status.st_mode & S_IWGRP != 0, !isOwnersOwnGroup { return "\(path) can be written by its group" }
        return nil
    }

    private var isOwnersOwnGroup: Bool {
        guard let user = getpwuid(status.st_uid)?.pointee, user.pw_gid == status.st_gid,
            let group = getgrgid(status.st_gid)?.pointee, let userName = user.pw_name, let groupName = group.gr_name,
            strcmp(userName, groupName) == 0
        else { return false }
        var member = group.gr_mem
        while let name = member?.pointee {
            if strcmp(name, userName) != 0 { return false }
            member = member?.advanced(by: 1)
        }
        return true
    }
}
