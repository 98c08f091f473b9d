import FileSystem
import Foundation
import SystemPackage
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Dividing a library anew: the parts of the new shards are made beside the old ones, the marker is written again, and
/// the old parts are removed.
///
/// `.coursefetch/division.json` says meanwhile which parts these are. Whoever takes the lock of a part after a kill
/// removes those that don't count: the new ones if the marker is the old one, else the old ones. Nobody may be writing
/// to the library: the caller has the locks of all its parts.
extension LibraryFolder {
    /// Notes the division that begins; durable on return.
    package func beginDivision(into count: Int) throws(LibraryError) {
        try DivisionNote(from: part?.count, to: count, division: division + 1).write(in: common)
    }

    /// The part of a new shard, empty. Refuses one that has a state or a list of files.
    package func newPart(_ part: LibraryPart) throws(LibraryError) -> LibraryFolder {
        let own = try common.folder("shards").folder(part.name)
        for name in [FileListName.text, StateCopy.name] where try own.facts(of: name) != nil {
            throw .partOfAnother(library: root.string, part: part.name)
        }
        return try LibraryFolder(
            RootFolder(at: root, by: folders.root.calls), id: id, division: division + 1, home: own,
            shard: (part, common), dividesVideos: part.dividesVideos)
    }

    /// Gives a partial of another part a second name in this one, or copies it where the file system has no links. Its
    /// bytes are durable on return, its name is after ``flushPartials()``.
    package func takePartial(
        _ name: PartialName, of other: LibraryFolder, as newName: PartialName
    ) throws(LibraryError) {
        let (source, target) = (other.partials.folder.handle, partials.folder.handle)
        do throws(Errno) {
            return try source.link(name.fileName, to: target, newName.fileName)
        } catch .noSuchFileOrDirectory {
            return
        } catch .fileExists {
            throw .system(.link, path: partials.folder.path(of: newName.fileName), .fileExists)
        } catch {}
        do throws(Errno) {
            let draft = try DraftFile(of: newName.fileName, in: target)
            try draft.fill(from: try source.openFile(name.fileName, O_RDONLY))
            try draft.replace()
        } catch {
            throw .system(.write, path: partials.folder.path(of: newName.fileName), error)
        }
    }

    /// Makes the names of all partials durable.
    package func flushPartials() throws(LibraryError) {
        do { try partials.folder.handle.flush() } catch { throw .system(.flush, path: partials.folder.path, error) }
    }

    /// From here on the new parts count; durable on return. Refuses if somebody else has begun or ended a division
    /// meanwhile. Then removes the old parts; what can't be removed now is removed with the next lock.
    package func finishDivision(
        into count: Int, dividesVideos: Bool, owner: LibraryOwner
    ) throws(LibraryError) {
        let note = DivisionNote(from: part?.count, to: count, division: division + 1)
        guard try DivisionNote.read(in: common) == note, try Self.marker(of: root)?.division ?? 0 == division else {
            throw .dividedOtherwise(library: root.string, shards: try Self.marker(of: root)?.shards)
        }
        let shards = try common.folder("shards")
        do { try shards.handle.flush() } catch { throw .system(.flush, path: shards.path, error) }
        let marker = LibraryMarker(
            id: id, owner: owner, shards: count, dividesVideos: dividesVideos, division: note.division)
        try MarkerFile(home: common.handle).overwrite(marker)
        try? Self.clear(common, marker)
    }

    /// Refuses if the library was divided anew since it was opened.
    package func requireDivision() throws(LibraryError) { _ = try currentMarker() }

    /// Refuses if the library was divided anew since it was opened, and removes what an interrupted division has left.
    func settleDivision() throws(LibraryError) {
        if let marker = try currentMarker() { try Self.clear(common, marker) }
    }

    private func currentMarker() throws(LibraryError) -> LibraryMarker? {
        guard let marker = try Self.marker(of: root, by: folders.root.calls) else { return nil }
        guard marker.shards == part?.count, marker.division ?? 0 == division else {
            throw .dividedOtherwise(library: root.string, shards: marker.shards)
        }
        return marker
    }

    private static func clear(_ common: PrivateFolder, _ marker: LibraryMarker) throws(LibraryError) {
        guard let note = try DivisionNote.read(in: common) else { return }
        guard let gone = note.parts(besides: marker) else { return try common.remove(DivisionNote.name) }
        let path = common.path(of: "shards")
        if case .shards(let count) = gone, let handle = try common.handle.libraryFolder("shards", path: path) {
            let shards = PrivateFolder(handle, path: path)
            for name in try shards.folders() where name.hasSuffix("-of-\(count)") {
                // Somebody may divide the library once more.
                guard try DivisionNote.read(in: common) == note else { return }
                try shards.removePart(name)
            }
            try common.removeIfEmpty("shards")
        } else if case .whole = gone {
            try common.removePartials()
            try common.remove(FileListName.text)
        }
        try RegisterFolder.clear(common, besides: marker)
        try common.remove(DivisionNote.name)
    }

    /// What the shards have in common where videos are divided among them.
    package var register: RegisterFolder {
        RegisterFolder(root: root, common: common, division: division, part: part)
    }

    /// Refuses a library that is divided in the other way.
    package func require(dividesVideos: Bool) throws(LibraryError) {
        guard self.dividesVideos == dividesVideos else {
            throw .otherUnit(library: root.string, dividesVideos: self.dividesVideos)
        }
    }

    /// `.coursefetch`.
    private var common: PrivateFolder { ofAllShards ?? home }
}

/// What `.coursefetch/division.json` says about a division that isn't finished.
private struct DivisionNote: Codable, Equatable {
    static let name = "division.json"
    private static let longest = 4096

    /// The number of the old shards; nil if there was one state without shards.
    var from: Int?
    /// The number of the new shards.
    var to: Int
    /// ``LibraryMarker/division`` once the new ones count.
    var division: Int

    /// Whose parts don't count.
    enum Gone {
        case shards(Int)
        /// The state without shards, which had its files in `.coursefetch` itself.
        case whole
    }

    /// What doesn't count, as a marker says; nil for a note of another library, or of an earlier division.
    func parts(besides marker: LibraryMarker) -> Gone? {
        let current = marker.division ?? 0
        if current == division, marker.shards == to { return from.map { .shards($0) } ?? .whole }
        return current == division - 1 && marker.shards == from ? .shards(to) : nil
    }

    func write(in common: PrivateFolder) throws(LibraryError) {
        do {
            let draft = try DraftFile(of: Self.name, in: common.handle)
            try draft.write(try JSONEncoder().encode(self) + [UInt8(ascii: "\n")])
            try draft.replace()
        } catch let error as Errno {
            throw .system(.write, path: common.path(of: Self.name), error)
        } catch {
            throw .system(.write, path: common.path(of: Self.name), .invalidArgument)
        }
    }

    /// Nil if there is none, or what is there isn't one.
    static func read(in common: PrivateFolder) throws(LibraryError) -> DivisionNote? {
        do {
            guard let bytes = try common.handle.openFile(name, O_RDONLY).content(upTo: longest),
                let note = try? JSONReader.decode(Self.self, from: bytes), note.from != note.to, note.to > 0
            else { return nil }
            return note
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .isDirectory, .invalidArgument: return nil
            default: throw .system(.read, path: common.path(of: name), error)
            }
        }
    }
}

extension PrivateFolder {
    /// Removes the folder of a shard with everything that coursefetch writes into it.
    fileprivate func removePart(_ name: String) throws(LibraryError) {
        guard let handle = try handle.libraryFolder(name, path: path(of: name)) else { return }
        let own = PrivateFolder(handle, path: path(of: name))
        try own.removePartials()
        for file in [StateCopy.name, StateCopy.markName, FileListName.text, "lock"] {
            for name in [file, file + ".new"] { try own.remove(name) }
        }
        try removeIfEmpty(name)
    }

    /// Removes all partials and marks of moves. What is a complete file stays.
    fileprivate func removePartials() throws(LibraryError) {
        try removeFiles(in: "partials") { PartialName(fileName: $0) != nil }
        try removeFiles(in: "moving") { MoveMarker.isMark($0) }
    }

    private func removeFiles(in name: String, where isOurs: (String) -> Bool) throws(LibraryError) {
        guard let handle = try handle.libraryFolder(name, path: path(of: name)) else { return }
        let folder = PrivateFolder(handle, path: path(of: name))
        for file in try folder.names() where isOurs(file) { try folder.remove(file) }
        try removeIfEmpty(name)
    }

    func removeIfEmpty(_ name: String) throws(LibraryError) {
        do { _ = try handle.removeFolder(name) } catch { throw .system(.remove, path: path(of: name), error) }
    }
}
