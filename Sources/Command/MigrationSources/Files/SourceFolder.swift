package import FileSystem
package import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder of a source, open for reading. Every path of a record leads beneath it, and no link is followed: a source
/// can't name files elsewhere.
package struct SourceFolder: Sendable {
    /// As it was given.
    package let path: String
    /// The folder; that of the file, if a file was given.
    package let folder: FolderHandle
    /// The given file's name in the folder; nil if a folder was given.
    package let file: String?

    /// Opens a folder, or the folder of a file. It may be reached through links: that is the user's choice.
    package init(_ path: String) throws(SourceProblem) {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            let code = errno
            throw code == ENOENT ? .missing(path: path) : .unreadable(path: path, errno: code)
        }
        self.path = path
        let isFolder = facts.st_mode & S_IFMT == S_IFDIR
        let place = FilePath(path)
        let above = place.removingLastComponent()
        do throws(Errno) {
            folder = try FolderHandle(at: isFolder ? place : above.isEmpty ? "." : above)
        } catch { throw .unreadable(path: path, errno: error.rawValue) }
        guard isFolder || facts.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        file = isFolder ? nil : place.lastComponent?.string
    }

    /// The path to show for something beneath the folder.
    package func shown(_ name: String) -> String {
        if let file {
            return file == name ? path : String(decoding: path.utf8.dropLast(file.utf8.count), as: UTF8.self) + name
        }
        return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// A store's path, made relative to the folder: without empty and `.` components. Nil if it leaves the folder, or
    /// leads to none.
    package static func relative(_ path: String) -> String? {
        guard !path.hasPrefix("/"), !path.utf8.contains(0) else { return nil }
        let parts = path.split(separator: "/").filter { $0 != "." }
        guard !parts.isEmpty, !parts.contains(".."), path.utf8.count <= 4096 else { return nil }
        return parts.joined(separator: "/")
    }

    /// A regular file's facts; nil if there is none, or something else.
    package func facts(of path: String) throws(SourceProblem) -> FileFacts? {
        guard let descriptor = try open(path) else { return nil }
        defer { close(descriptor) }
        do throws(Errno) { return try FileFacts(descriptor: descriptor) } catch {
            throw .unreadable(path: shown(path), errno: error.rawValue)
        }
    }

    /// A regular file, for the caller to close; nil if there is none, or something else.
    package func open(_ path: String) throws(SourceProblem) -> CInt? {
        do throws(Errno) {
            return try folder.file(beneath: path, O_RDONLY)
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .improperLink,
                .invalidArgument, .fileNameTooLong:
                return nil
            default: throw .unreadable(path: shown(path), errno: error.rawValue)
            }
        }
    }

    /// The open folder of a file, and the file's name in it; nil if there is no such folder.
    package func parent(of path: String) -> (folder: FolderHandle, name: String)? {
        var names = path.split(separator: "/").map(String.init)
        guard let name = names.popLast(), name != "..", !names.contains("..") else { return nil }
        var handle = folder
        for name in names {
            guard let next = try? handle.folder(name) else { return nil }
            handle = next
        }
        return (handle, name)
    }

    /// A whole small file; nil if there is none.
    package func data(_ path: String, upTo limit: Int) throws(SourceProblem) -> Data? {
        guard let descriptor = try open(path) else { return nil }
        defer { close(descriptor) }
        let data: Data?
        do throws(Errno) { data = try SmallFile.read(descriptor, upTo: limit) } catch {
            throw .unreadable(path: shown(path), errno: error.rawValue)
        }
        guard let data else { throw .badFormat(path: shown(path), .tooLarge) }
        return data
    }

    package func givenFile(upTo limit: Int) throws(SourceProblem) -> Data {
        guard let file, let data = try data(file, upTo: limit) else { throw .notAFile(path: path) }
        return data
    }

    /// Calls `body` with every file beneath the folder, folder by folder in the order of names, links left out.
    /// Goes 32 levels deep.
    ///
    /// - Parameter body: gets the path relative to the folder, and whether it is a folder.
    /// - Returns: whether everything was visited: names that aren't UTF-8 and deeper levels are left out.
    @discardableResult
    package func walk(_ body: (String) throws -> Void) throws -> Bool {
        var isWhole = true
        try Self.walk(folder, prefix: "", depth: 0, of: self, isWhole: &isWhole, body)
        return isWhole
    }

    private static func walk(
        _ folder: FolderHandle, prefix: String, depth: Int, of place: SourceFolder, isWhole: inout Bool,
        _ body: (String) throws -> Void
    ) throws {
        var names: [(name: String, isFolder: Bool?)] = []
        do throws(Errno) {
            try folder.forEachEntry { name, isFolder in
                if let text = String(validating: name, as: UTF8.self) {
                    names.append((text, isFolder))
                } else {
                    isWhole = false
                }
                return true
            }
        } catch { throw SourceProblem.unreadable(path: place.shown(prefix), errno: error.rawValue) }
        names.sort { $0.name < $1.name }
        for (name, isFolder) in names {
            let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
            let entry = isFolder == true ? .folder : (try? folder.entry(name)) ?? nil
            switch entry {
            case .file: try body(path)
            case .folder:
                guard depth < 32 else {
                    isWhole = false
                    continue
                }
                let inner: FolderHandle
                // A library of ours is no part of another's store.
                if name == ".coursefetch" { continue }
                do throws(Errno) { inner = try folder.folder(name) } catch {
                    throw SourceProblem.unreadable(path: place.shown(path), errno: error.rawValue)
                }
                if (try? inner.entry(".coursefetch")) == .some(.folder) { continue }
                try walk(inner, prefix: path, depth: depth + 1, of: place, isWhole: &isWhole, body)
            case .link, .other, nil: continue
            }
        }
    }
}
