import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState

extension LibraryCopy {
    /// Copies the finished files of a selection to a folder, as a library of its own that belongs to nobody until it is
    /// adopted. What is there already stays, and what has changed is brought up to date.
    ///
    /// The state is only read, so that a sync may run at the same time. Cancelling the task ends it after the current
    /// block; the next run goes on from there.
    ///
    /// - Parameter observe: called on its own thread.
    package static func run(
        _ location: StateLocation, _ wish: CopyWish, observe: @escaping @Sendable (CopyEvent) -> Void
    ) async throws(Refusal) -> LibraryCopy {
        let places = try location.resolveAll()
        try places[0].requireKnown()
        let states = try ReadableStates(of: places)
        defer { states.close() }
        let (sources, leftOut) = try sources(places, states, Selection(selectors: wish.selectors))
        guard let first = sources.first else { throw leftOut.first ?? .selection(.nothingYet) }
        let folder = try folder(wish.folder, of: first.library)
        let copy = try await open(folder, of: first.library, user: places[0].user.text)
        defer { copy.unlock() }
        let isPartial = !leftOut.isEmpty
        let done = await Blocking.run { shouldStop in
            withoutActuallyEscaping(shouldStop) { shouldStop in
                Result {
                    try work(sources, copy, wish, isPartial: isPartial, shouldStop: shouldStop, observe: observe)
                }
            }
        }
        do {
            var result = try done.get()
            result.leftOut = leftOut
            return result
        } catch LibraryError.stopped {
            var result = LibraryCopy(
                folder: folder.string, progress: CopyProgress(videos: 0, allVideos: 0, bytes: 0, allBytes: 0))
            result.isStopped = true
            return result
        } catch { throw Refusal(any: error) }
    }

    /// The libraries, with the part of the selection that each has.
    private static func sources(
        _ places: [StateLocation.Place], _ states: ReadableStates, _ selection: Selection
    ) throws(Refusal) -> ([CopySource], leftOut: [Refusal]) {
        let parts = try SharedSelection.parts(of: selection, in: states.stores, leftOut: states.leftOut)
        var (sources, leftOut) = ([CopySource](), states.leftOut)
        for (index, part) in parts.enumerated() {
            guard let store = states.stores[index], !states.failed.contains(index) else { continue }
            do throws(Refusal) {
                guard let library = try LibraryOpening.openToLook(places[index], store) else { continue }
                do throws(StoreError) { sources.append(try CopySource(store, library, part)) } catch {
                    throw Refusal(error)
                }
            } catch {
                guard places.count > 1 else { throw error }
                leftOut.append(places[index].leftOut(error))
            }
        }
        return (sources, leftOut)
    }

    /// The absolute path of the copy. The folder above has to be there: a disk that isn't mounted must not be filled
    /// under its mount point.
    private static func folder(_ text: String, of library: LibraryFolder) throws(Refusal) -> FilePath {
        let url = URL(fileURLWithPath: text).standardizedFileURL
        var isFolder: ObjCBool = false
        let above = url.deletingLastPathComponent()
        guard FileManager.default.fileExists(atPath: above.path, isDirectory: &isFolder), isFolder.boolValue else {
            throw .copy(.noFolder(above.path))
        }
        let root = URL(fileURLWithPath: library.root.string).resolvingSymlinksInPath().path
        let real = above.resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent)
            .resolvingSymlinksInPath().path
        if real == root || real.hasPrefix(root + "/") { throw .copy(.inLibrary(url.path)) }
        return FilePath(url.path)
    }

    private static func open(
        _ folder: FilePath, of library: LibraryFolder, user: String
    ) async throws(Refusal) -> LibraryFolder {
        do throws(LibraryError) {
            let copy = try LibraryFolder.openCopy(folder, of: library.id, owner: .current(user: user))
            try await copy.lock(user: user)
            return copy
        } catch .markerOfAnother(let path, let marker) {
            throw .copy(.notCopy(path, marker))
        } catch { throw Refusal(error) }
    }

    private static func work(
        _ sources: [CopySource], _ copy: LibraryFolder, _ wish: CopyWish, isPartial: Bool,
        shouldStop: @escaping () -> Bool, observe: @escaping (CopyEvent) -> Void
    ) throws -> LibraryCopy {
        let target = try CopyTarget(copy)
        let plan = try CopyPlan(
            sources, target, largest: VolumeFacts.largestFile(at: copy.root), shouldStop: shouldStop)
        // What was written of one file when the last run ended is counted among what is needed.
        let held = try copy.partials.all().values.reduce(0) { $0 + $1.size }
        if let free = try copy.space()?.free, plan.bytes - held > free {
            throw Refusal.copy(.noRoom(needed: plan.bytes - held, free: free, folder: copy.root.string))
        }
        let work = CopyWork(
            sources: sources, target: target, plan: plan, wish: wish, isPartial: isPartial, shouldStop: shouldStop,
            observe: observe)
        return try work.run(folder: copy.root.string)
    }
}
