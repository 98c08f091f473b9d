import CatalogComparison
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// Checks a user's library: its marker, its disk, and its contents.
struct LibraryCheck {
    let place: StateLocation.Place
    let folder: FilePath
    /// What a sync leaves free.
    let floor: FreeSpaceFloor

    private static let minimumSpace: Int64 = 16 << 20
    private static let mostExamples = 3

    private var path: String { folder.string }

    /// The facts that are available without a readable state.
    func withoutState() -> [DiagnosisFact] {
        // One that can't be read has been reported, and may well know a library.
        let isUnread = FileManager.default.fileExists(atPath: place.folder.database.string)
        do throws(LibraryError) {
            if let marker = try LibraryFolder.marker(of: folder), !isUnread,
                place.shard == nil || marker.user != place.user.text || marker.shards != place.libraryPart?.count
            {
                return [.libraryUnusable(.library(.markerOfAnother(library: path, found: marker)))]
            }
        } catch {
            return [.libraryUnusable(.library(error))]
        }
        return (isUnread ? [] : [.noLibrary(path: path)]) + disk(needed: nil)
    }

    /// All checks. With `clean`, which needs the user's lock, leftovers are removed.
    func run(_ store: DownloadStore, isHeld: Bool, clean: Bool) -> [DiagnosisFact] {
        let library: LibraryFolder
        do throws(Refusal) {
            guard let known = try LibraryOpening.openToLook(place, store) else {
                return [.noLibrary(path: path)] + disk(needed: nil)
            }
            library = known
            if clean {
                do throws(LibraryError) { try known.lockNow(user: place.user.text) } catch { throw Refusal(error) }
            }
        } catch {
            return [.libraryUnusable(error)]
        }
        var facts = disk(needed: try? store.downloads.remaining())
        do {
            facts += try files(store, library, isHeld: isHeld, clean: clean)
        } catch {
            facts.append(.libraryUnusable(Refusal(any: error)))
        }
        return facts
    }

    // MARK: the disk

    private func disk(needed: (bytes: ByteCount, unknown: Int)?) -> [DiagnosisFact] {
        let space = VolumeFacts.space(at: folder)
        let free = space?.free
        let floor = self.floor.bytes(of: space?.size) ?? 0
        var facts: [DiagnosisFact] = []
        if needed != nil {
            var network: String?
            if case .network(let kind) = FileSystemKind.of(folder) { network = kind }
            facts.append(.library(path: path, network: network, free: free))
            if !VolumeFacts.isWritable(folder) { facts.append(.libraryNotWritable(path: path)) }
        }
        if VolumeFacts.isInMemory(folder) { facts.append(.libraryInMemory(path: path)) }
        guard let free else { return facts }
        if free < Self.minimumSpace {
            facts.append(.diskFull(path: path, free: free))
        } else if free < floor {
            facts.append(
                .spaceBelowFloor(path: path, free: free, floor: floor, isStandard: self.floor == .standard))
        } else if let needed, needed.bytes.value > free - floor {
            facts.append(
                .spaceShort(
                    path: path, free: free, floor: floor, needed: needed.bytes.value, unknownSizes: needed.unknown))
        }
        return facts
    }

    // MARK: files

    private func files(
        _ store: DownloadStore, _ library: LibraryFolder, isHeld: Bool, clean: Bool
    ) throws -> [DiagnosisFact] {
        var recorded: Set<String> = []
        var finished: Set<String> = []
        try store.downloads.scan { row in
            guard let path = row.string(.path) else { return }
            recorded.insert(path)
            if row.state == .finished { finished.insert(path) }
        }
        recorded.formUnion(try store.sidecars.paths())
        // Files of an interrupted move may be at either place; the next sync completes it.
        let moved = try InterruptedMoves(store).places(in: library)
        recorded.formUnion(moved.values)
        finished.subtract(moved.keys)
        var unknown = 0
        var examples: [String] = []
        var copies: [String] = []
        let unreadable = LibraryWalk(of: library).forEachPath { path in
            if finished.remove(path) != nil || recorded.contains(path) { return true }
            // Other shards have files, and copies on their way.
            if place.shard != nil { return true }
            if StagingName.isOne(path) {
                copies.append(path)
                return true
            }
            unknown += 1
            if examples.count < Self.mostExamples { examples.append(path) }
            return true
        }
        var facts = unreadable.map { DiagnosisFact.folderUnreadable(path: $0) }
        // A running sync adds files between two checks.
        if !isHeld, let example = finished.min() {
            facts.append(.filesMissing(count: finished.count, example: example))
        }
        if unknown > 0 { facts.append(.unknownFiles(count: unknown, examples: examples.sorted())) }
        facts += try partials(store, library, copies: isHeld ? [] : copies, isHeld: isHeld, clean: clean)
        return facts + (isHeld ? [] : try stranded(store, library, clean: clean))
    }

    private func partials(
        _ store: DownloadStore, _ library: LibraryFolder, copies: [String], isHeld: Bool, clean: Bool
    ) throws -> [DiagnosisFact] {
        let all = try library.partials.all()
        let unwanted = try Leftovers.unwantedPartials(store, library, includingSidecars: !isHeld)
        var facts: [DiagnosisFact] = []
        if all.count > unwanted.count {
            let kept = all.filter { unwanted[$0.key] == nil }
            facts.append(.partials(count: kept.count, bytes: kept.values.byteCount(\.size).value))
        }
        guard !unwanted.isEmpty || !copies.isEmpty else { return facts }
        let sizes = copies.compactMap { (try? library.files.facts(of: $0)) ?? nil }
        if clean {
            for name in unwanted.keys { try library.partials.remove(name) }
            for copy in copies { try library.stranded.removeUnfinishedCopy(copy) }
        }
        facts.append(
            .leftovers(
                count: unwanted.count + copies.count,
                bytes: (unwanted.values.byteCount(\.size) + sizes.byteCount(\.size)).value,
                areRemoved: clean))
        return facts
    }

    private func stranded(
        _ store: DownloadStore, _ library: LibraryFolder, clean: Bool
    ) throws -> [DiagnosisFact] {
        let paths = try InterruptedMoves(store).stranded(in: library)
        guard !paths.isEmpty else { return [] }
        var bytes = ByteCount(0)
        for path in paths { bytes += try library.stranded.size(of: path) }
        if clean { for path in paths { try library.stranded.remove(path) } }
        return [.stranded(paths: paths, bytes: bytes.value, areRemoved: clean)]
    }
}
