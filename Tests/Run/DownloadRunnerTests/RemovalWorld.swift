import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import RunAccess
import SyncFacts
import TestSupport

@testable import CatalogComparison
@testable import DownloadRunner

/// A library with a finished video, and its state.
struct RemovalWorld {
    let temporary = TemporaryFolder()
    let store: DownloadStore
    let library: LibraryFolder
    let id = DownloadID(rawValue: 1)

    init() throws {
        store = try DownloadStore.empty()
        library = try LibraryFolder.open(
            temporary.at("library"), expecting: .new(LibraryID(rawValue: "test")),
            owner: LibraryOwner(user: "anna", host: "here"))
        var changes = ReconcileChanges()
        let fields = CatalogFields(
            chapter: nil, title: "T", position: 1, ordinal: 0, provider: "p", source: SourceDigest([1]), priority: 0,
            extras: nil, stem: "a/x", expectedSize: nil, expectedSHA256: nil)
        changes.new = [.init(id: id, key: DownloadKey(course: "c", video: "x"), fields: fields)]
        try store.catalogs.apply(changes)
    }

    /// Finishes the video, with this text at this path.
    func finish(at path: String = "a/x.mp4", _ text: String = "x") throws {
        try temporary.write(text, to: "library/\(path)")
        let facts = try library.files.facts(of: path)
        try finish(StoredFile(path: path, size: facts?.size ?? 0, modified: facts?.modified, sha256: nil, source: [1]))
    }

    /// Finishes the video, with this file.
    func finish(_ file: StoredFile) throws {
        try store.write([.begin(id), .placing(id, file), .finish(id)])
    }

    /// Records a move of the file.
    func record(to path: String) throws -> [RecordedMove] {
        var changes = ReconcileChanges()
        let from = try row()?.file?.path ?? ""
        changes.moves =
            try MovePlan.plan([(from: from, to: path)])?.moves.map {
                RecordedMove(id: $0.id, from: $0.from, to: $0.to, owner: .download(id))
            } ?? []
        try store.catalogs.apply(changes)
        return changes.moves
    }

    /// Records a move, and puts it off, since it fails.
    func putOff(to folder: String) throws {
        try temporary.write("in the way", to: "library/\(folder)")
        try RecordedMoves(store: store, library: library).finish(record(to: "\(folder)/x.mp4"))
        try temporary.remove("library/\(folder)")
    }

    func row() throws -> DownloadRecord? { try store.downloads.record(id) }

    /// `remove`.
    func remove() async throws -> SteeringOutcome? {
        try await Steering(store: store, library: library) { [store] changes in
            try store.write(changes)
            return true
        }.apply(.remove, to: [id]).outcomes.first
    }

    /// The video as a plan of a moment ago has it, which is gone.
    func gone() throws -> Reconciliation.Gone? {
        try row().map {
            .init(id: id, reference: VideoReference($0), state: $0.state, file: $0.file, isKnown: true)
        }
    }

    /// Prunes it.
    func prune(_ gone: Reconciliation.Gone) -> Pruning.Outcome {
        Pruning(store: store, library: library).run([gone], UnlistedFolders())
    }
}
