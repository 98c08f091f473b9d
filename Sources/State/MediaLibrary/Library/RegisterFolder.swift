import FileSystem
import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where the shards of a library have what they need to know of each other if each course's videos are divided among
/// them: the copy of the register, in `.coursefetch/register-N` for the division N of the library, and which shards are
/// being synced.
package struct RegisterFolder: Sendable {
    private static let syncing = "syncing-"
    private static let asked = "asked-"
    private static let prefix = "register-"

    /// The library's.
    private let root: FilePath
    /// `.coursefetch`.
    private let common: PrivateFolder
    private let division: Int
    private let part: LibraryPart?

    init(root: FilePath, common: PrivateFolder, division: Int, part: LibraryPart?) {
        (self.root, self.common, self.division, self.part) = (root, common, division, part)
    }

    /// The copy of the register; nil if it has no folder. Creates nothing.
    package func ifThere() throws(LibraryError) -> StateCopy? {
        let path = common.path(of: Self.name(division))
        guard let handle = try common.handle.libraryFolder(Self.name(division), path: path) else { return nil }
        return StateCopy(folder: handle, path: path)
    }

    /// The copy of the register, with its folder.
    package func copy() throws(LibraryError) -> StateCopy { try Self.copy(in: folder()) }

    /// The place of the register's copy once the library is divided anew.
    package func nextCopy() throws(LibraryError) -> StateCopy {
        try Self.copy(in: common.folder(Self.name(division + 1)))
    }

    /// Notes that this shard is being synced.
    package func noteSyncing() throws(LibraryError) {
        guard let part else { return }
        let folder = try folder()
        do {
            let draft = try DraftFile(of: Self.syncing + part.name, in: folder.handle)
            try draft.replace()
        } catch { throw .system(.write, path: folder.path(of: Self.syncing + part.name), error) }
    }

    /// Notes that this shard isn't being synced, however its pass has ended.
    package func forgetSyncing() {
        guard let part else { return }
        try? folder().remove(Self.syncing + part.name)
    }

    /// When a shard has last asked for a listing, and whether it got one.
    package struct Ask: Sendable, Equatable {
        /// In seconds since 1970, by the clock of its machine.
        package var at: Double
        package var isAnswered: Bool
        /// Another one for each.
        var number: UInt64
    }

    /// The last one; nil if nobody has asked.
    ///
    /// - Parameter name: of a file for the course.
    package func lastAsk(_ name: String) -> Ask? {
        guard let file = try? folder().handle.openFile(Self.asked + name, O_RDONLY),
            let bytes = (try? file.content(upTo: 256)) ?? nil
        else { return nil }
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count == 3, let at = Double(words[0]), let number = UInt64(words[2]) else { return nil }
        return Ask(at: at, isAnswered: words[1] == "answered", number: number)
    }

    /// Notes that this shard has asked for a listing. What can't be noted is asked for again.
    package func noteAsk(_ name: String, at: Double, isAnswered: Bool) {
        guard let folder = try? folder(), let draft = try? DraftFile(of: Self.asked + name, in: folder.handle) else {
            return
        }
        let word = isAnswered ? "answered" : "failed"
        try? draft.write(Data("\(at) \(word) \(UInt64.random(in: .min ... .max))".utf8))
        try? draft.replace()
    }

    /// Notes that this shard's sync ends. Returns whether no other one goes on. For the holder of the register: of two
    /// that end at the same time, one is the last.
    package func endSyncing() throws(LibraryError) -> Bool {
        guard let part else { return true }
        let folder = try folder()
        try folder.remove(Self.syncing + part.name)
        var isLast = true
        for name in try folder.names() where name.hasPrefix(Self.syncing) {
            let other = LibraryPart(name: String(name.dropFirst(Self.syncing.count)), count: part.count)
            if try LibraryFolder.isInUse(root, part: other) != nil {
                isLast = false
            } else {
                // Its sync was killed.
                try folder.remove(name)
            }
        }
        return isLast
    }

    /// Removes the registers of other divisions than a library's current one.
    static func clear(_ common: PrivateFolder, besides marker: LibraryMarker) throws(LibraryError) {
        let current = marker.dividesVideos ? name(marker.division ?? 0) : nil
        for name in try common.folders() where name.hasPrefix(prefix) && name != current {
            guard let handle = try common.handle.libraryFolder(name, path: common.path(of: name)) else { continue }
            let folder = PrivateFolder(handle, path: common.path(of: name))
            for file in [StateCopy.name, StateCopy.markName] {
                for name in [file, file + ".new"] { try folder.remove(name) }
            }
            for file in try folder.names() where file.hasPrefix(syncing) || file.hasPrefix(asked) {
                try folder.remove(file)
            }
            try common.removeIfEmpty(name)
        }
    }

    private func folder() throws(LibraryError) -> PrivateFolder { try common.folder(Self.name(division)) }

    private static func name(_ division: Int) -> String { "\(prefix)\(division)" }

    private static func copy(in folder: PrivateFolder) -> StateCopy {
        StateCopy(folder: folder.handle, path: folder.path)
    }
}
