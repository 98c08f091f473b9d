import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import RunAccess
import SystemPackage
import TestSupport
import Testing

@testable import DownloadRunner

@Suite("removal of files")
struct RemovalTests {
    /// No file system has such a name, so that its file can't be looked at, nor removed.
    private static let impossible = "a/" + String(repeating: "x", count: 300) + ".mp4"

    private static func impossible(_ world: RemovalWorld) throws {
        try world.temporary.make("library/a")
        try world.finish(StoredFile(path: impossible, size: 1, modified: 1, sha256: nil, source: [1]))
    }

    @Test("a finished video whose file can't be removed stays finished, with the reason")
    func stays() async throws {
        let world = try RemovalWorld()
        try Self.impossible(world)
        let before = try world.row()
        let outcome = try await world.remove()
        #expect(outcome?.verdict == .fileNotRemoved && outcome?.after == .finished)
        #expect(outcome?.obstacle == .init(path: Self.impossible, errno: Errno.fileNameTooLong.rawValue))
        let after = try world.row()
        #expect(after?.state == .finished && after?.file == before?.file)
    }

    @Test("a file beside a removed video that can't be removed is reported, and a later removal tries again")
    func sidecarStays() async throws {
        let world = try RemovalWorld()
        try world.finish()
        try world.temporary.write("mine", to: "library/a/other")
        let sidecar = SidecarRecord(
            download: world.id, kind: .subtitle, name: "de", path: Self.impossible, size: 1, modified: 1)
        try world.store.write([.sidecar(.stored(sidecar))])
        for _ in 0..<2 {
            let outcome = try await world.remove()
            #expect(outcome?.verdict == .fileNotRemoved && outcome?.after == .cancelled)
            #expect(outcome?.obstacle?.path == Self.impossible)
            #expect(try world.store.sidecars.files(of: [world.id]) == [sidecar])
        }
        #expect(world.temporary.files(under: "library") == ["a/other": "mine"])
    }

    @Test("something else in a file's place isn't ours: it stays, and the video is removed")
    func somethingElse() async throws {
        let world = try RemovalWorld()
        try world.finish()
        try world.temporary.remove("library/a/x.mp4")
        try world.temporary.make("library/a/x.mp4")
        #expect(try await world.remove()?.verdict == .fileKept)
        let row = try world.row()
        #expect(row?.state == .cancelled && row?.file == nil)
    }

    @Test("a video with an unfinished move isn't removed: its file may be on its way")
    func moving() async throws {
        let world = try RemovalWorld()
        try world.finish()
        let moves = try world.record(to: "b/x.mp4")
        let outcome = try await world.remove()
        #expect(outcome?.verdict == .fileNotRemoved && outcome?.obstacle == .init(path: "a/x.mp4", errno: nil))
        #expect(try world.row()?.state == .finished && world.temporary.has("library/a/x.mp4"))
        try RecordedMoves(store: world.store, library: world.library).finish(moves)
        #expect(try await world.remove()?.verdict == .changed)
        #expect(world.temporary.files(under: "library").isEmpty)
    }

    @Test("a removed video has no put off moves any more, also if it comes back to its old place")
    func forgetsMoves() async throws {
        let world = try RemovalWorld()
        try world.finish()
        try world.putOff(to: "b")
        #expect(try world.store.moves.putOff().map(\.to) == ["b/x.mp4"])
        #expect(try await world.remove()?.verdict == .changed)
        try world.store.write([.steer(world.id, .retry)])
        try world.finish()
        #expect(try world.store.moves.putOff().isEmpty)
    }

    @Test("a gone video's file is removed where it is now, if it was moved after the plan was made")
    func pruneAfterMove() throws {
        let world = try RemovalWorld()
        try world.finish()
        let gone = try #require(try world.gone())
        try world.temporary.write("mine", to: "library/a/other")
        try RecordedMoves(store: world.store, library: world.library).finish(world.record(to: "b/x.mp4"))
        #expect(world.temporary.has("library/b/x.mp4"))
        let outcome = world.prune(gone)
        #expect(outcome.removed.count == 1 && !outcome.hasFailed)
        #expect(world.temporary.files(under: "library") == ["a/other": "mine"])
        #expect(try world.row() == nil)
    }

    @Test("a gone video whose file can't be removed keeps its row")
    func pruneFails() throws {
        let world = try RemovalWorld()
        try Self.impossible(world)
        let gone = try #require(try world.gone())
        let outcome = world.prune(gone)
        #expect(outcome.removed.isEmpty && outcome.hasFailed)
        #expect(try world.row()?.file?.path == Self.impossible)
    }
}
