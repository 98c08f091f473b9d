import FileSystem
import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The copy of a shard's state that travels with the library: `state.sqlite` and its mark, `state.json`, in the shard's
/// folder, for the account alone. It replaces the state of a machine that is gone.
///
/// The copy is written before its mark, so that a mark never promises more than there is.
package struct StateCopy: Sendable {
    static let name = "state.sqlite"
    static let markName = "state.json"
    private static let longestMark = 64 * 1024
    /// More than any state: some 10⁸ rows.
    private static let largest: Int64 = 16 << 30

    private let folder: FolderHandle
    /// From the library's root.
    private let path: String

    init(folder: FolderHandle, path: String) {
        self.folder = folder
        self.path = path
    }

    /// That of a shard in the library at `root`; nil if the shard has no folder there. Creates nothing.
    package static func find(at root: FilePath, part: LibraryPart) throws(LibraryError) -> StateCopy? {
        guard let (folder, path) = try RootFolder.ifThere(root, by: KernelCalls())?.home(of: part) else { return nil }
        return StateCopy(folder: folder, path: path)
    }

    /// Whether something is in the copy's place, or in its mark's.
    package func isThere() throws(LibraryError) -> Bool {
        do {
            if try folder.entry(Self.name) != nil { return true }
            return try folder.entry(Self.markName) != nil
        } catch { throw .system(.inspect, path: "\(path)/\(Self.name)", error) }
    }

    /// Nil if there is none, or what is there isn't one.
    package func mark() throws(LibraryError) -> StateMark? {
        do {
            return try folder.openFile(Self.markName, O_RDONLY).content(upTo: Self.longestMark).flatMap(StateMark.init)
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .isDirectory, .invalidArgument: return nil
            default: throw .system(.read, path: "\(path)/\(Self.markName)", error)
            }
        }
    }

    /// Puts a file in the place of the last copy. Durable on return.
    package func write(_ file: FilePath, _ mark: StateMark) throws(LibraryError) {
        do {
            let source = try FolderHandle(at: file.removingLastComponent())
            let draft = try DraftFile(of: Self.name, in: folder, mode: 0o600)
            try draft.fill(from: try source.openFile(file.lastComponent?.string ?? "", O_RDONLY))
            try draft.replace()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let written = try DraftFile(of: Self.markName, in: folder, mode: 0o600)
            try written.write(try encoder.encode(mark) + [UInt8(ascii: "\n")])
            try written.replace()
        } catch let error as Errno {
            throw .system(.write, path: "\(path)/\(Self.name)", error)
        } catch {
            throw .system(.write, path: "\(path)/\(Self.markName)", .invalidArgument)
        }
    }

    /// Writes the copy to a new file that only the account can read, in an existing folder; an older file is replaced.
    /// Durable on return. Returns false if there is no copy, or one that no state is as large as.
    package func read(to file: FilePath) throws(LibraryError) -> Bool {
        let source: OpenFile
        do {
            guard case .file(let facts)? = try folder.entry(Self.name), facts.size <= Self.largest else { return false }
            source = try folder.openFile(Self.name, O_RDONLY)
        } catch {
            throw .system(.read, path: "\(path)/\(Self.name)", error)
        }
        do {
            let target = try FolderHandle(at: file.removingLastComponent())
            let draft = try DraftFile(of: file.lastComponent?.string ?? "", in: target, mode: 0o600)
            try draft.fill(from: source)
            try draft.replace()
            return true
        } catch {
            throw .system(.write, path: file.string, error)
        }
    }
}
