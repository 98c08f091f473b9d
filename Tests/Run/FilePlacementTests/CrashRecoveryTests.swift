import CatalogComparison
import DownloadStore
import FileSystem
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import FilePlacement
@testable import MediaLibrary

@Suite("settling what a killed process left")
struct CrashRecoveryTests {
    let temporary = TemporaryFolder()

    /// A library, and the state of two courses `a` and `b`, with a video of each.
    private func world() throws -> (library: LibraryFolder, store: DownloadStore) {
        let store = try DownloadStore.empty()
        var changes = ReconcileChanges()
        for (number, course) in [(Int64(1), "a"), (2, "b")] {
            let fields = CatalogFields(
                chapter: nil, title: "T", position: 1, ordinal: 0, provider: "p", source: SourceDigest([1]),
                priority: 0, extras: nil, stem: "\(course)/x", expectedSize: nil, expectedSHA256: nil)
            changes.new.append(
                .init(
                    id: DownloadID(rawValue: number), key: DownloadKey(course: course, video: "x"), fields: fields))
        }
        try store.catalogs.apply(changes)
        return (try LibraryFolder.testing(temporary.at("library")), store)
    }

    private func path(_ id: Int64, _ store: DownloadStore) throws -> String? {
        try store.downloads.record(DownloadID(rawValue: id))?.file?.path
    }

    /// Lets each video be finished, in its folder.
    private func finish(_ world: (library: LibraryFolder, store: DownloadStore)) throws {
        for (id, course) in [(Int64(1), "a"), (2, "b")] {
            try temporary.write(course, to: "library/\(course)/x")
            let facts = try #require(try world.library.files.facts(of: "\(course)/x"))
            let file = StoredFile(path: "\(course)/x", size: 1, modified: facts.modified, sha256: nil, source: [1])
            let id = DownloadID(rawValue: id)
            try world.store.write([.begin(id), .placing(id, file), .finish(id)])
        }
    }

    /// Records moves of both, each in a plan of its own.
    private func record(_ moves: [(Int64, String, String)], _ store: DownloadStore) throws -> [RecordedMove] {
        let recorded = try moves.map { id, from, to in
            let move = try #require(try MovePlan.plan([(from: from, to: to)])).moves[0]
            return RecordedMove(id: move.id, from: from, to: to, owner: .download(DownloadID(rawValue: id)))
        }
        var changes = ReconcileChanges()
        changes.moves = recorded
        try store.catalogs.apply(changes)
        return recorded
    }

    @Test("a folder that can't be read costs its course only, until it can be")
    func unreadable() throws {
        let (library, store) = try world()
        for (id, course) in [(Int64(1), "a"), (2, "b")] {
            let partial = try library.write("bytes", to: id)
            let facts = try #require(try library.partials.facts(of: partial))
            let file = StoredFile(
                path: "\(course)/x", size: facts.size, modified: facts.modified, sha256: nil, source: [1])
            try store.write([.begin(DownloadID(rawValue: id)), .placing(DownloadID(rawValue: id), file)])
        }
        try temporary.write("in the way", to: "library/a")
        let first = try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(first.finished.map(\.key.course) == ["b"])
        #expect(first.unsettled == ["a": .notAFolder(path: "a")])
        #expect(try store.downloads.record(DownloadID(rawValue: 1))?.isPlacing == true)

        try FileManager.default.removeItem(atPath: temporary.at("library/a").string)
        let second = try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(second.finished.map(\.key.course) == ["a"] && second.unsettled.isEmpty)
        #expect(temporary.files(under: "library") == ["a/x": "bytes", "b/x": "bytes"])
    }

    @Test("of two recorded plans one that can go neither way costs its course only, and its record stays")
    func twoPlans() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        let moves = try record([(1, "a/x", "c/x"), (2, "b/x", "d/x")], store)
        try temporary.make("library/.coursefetch/moving")
        // Killed after the file of the first was collected.
        let moving = temporary.at("library/.coursefetch/moving/\(moves[0].id)").string
        try FileManager.default.moveItem(atPath: temporary.at("library/a/x").string, toPath: moving)
        for name in ["a", "c"] {
            try? FileManager.default.removeItem(atPath: temporary.at("library/\(name)").string)
            try temporary.write("in the way", to: "library/\(name)")
        }
        let first = try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(Set(first.unsettled.keys) == ["a"])
        #expect(try store.moves.recorded().map(\.id) == [moves[0].id])
        #expect(try path(2, store) == "d/x" && path(1, store) == "a/x")
        #expect(try InterruptedMoves(store).stranded(in: library).isEmpty)

        for name in ["a", "c"] { try FileManager.default.removeItem(atPath: temporary.at("library/\(name)").string) }
        let second = try CrashRecovery(store: store, library: .testing(temporary.at("library"))).run(at: Date())
        #expect(second.unsettled.isEmpty)
        #expect(try path(1, store) == "c/x" && store.moves.recorded().isEmpty)
        #expect(temporary.files(under: "library") == ["c/x": "a", "d/x": "b"])
        #expect(!temporary.names().contains { $0.hasPrefix("library/.coursefetch/moving/") })
    }

    @Test("the places of interrupted moves are known, whatever folder of them can't be read")
    func places() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        _ = try record([(1, "a/x", "c/x"), (2, "b/x", "d/x")], store)
        try FileManager.default.removeItem(atPath: temporary.at("library/a").string)
        try temporary.write("in the way", to: "library/a")
        let later = try LibraryFolder.testing(temporary.at("library"))
        #expect(try InterruptedMoves(store).places(in: later) == ["a/x": "a/x", "b/x": "b/x"])
        try FileManager.default.removeItem(atPath: temporary.at("library/a").string)
        #expect(try InterruptedMoves(store).places(in: library) == ["b/x": "b/x"])
    }

    private func again(
        _ moves: RecordedMoves, _ store: DownloadStore, in courses: Bool = true, moved: ([FileMove]) -> Void = { _ in }
    ) throws {
        try moves.again(Set(store.moves.putOff().map(\.id)), in: { _ in courses }, moved: moved)
    }

    /// The move of video 1 from `a/x` to `c/x` was put off for a file in its way, which is gone; the video is to be
    /// downloaded again.
    private func putOffThenRetried() throws -> (moves: RecordedMoves, store: DownloadStore) {
        let world = try world()
        try finish(world)
        try temporary.write("in the way", to: "library/c")
        let moves = RecordedMoves(store: world.store, library: world.library)
        try moves.finish(try record([(1, "a/x", "c/x")], world.store))
        try FileManager.default.removeItem(atPath: temporary.at("library/c").string)
        try world.store.write([.steer(DownloadID(rawValue: 1), .retry)])
        return (moves, world.store)
    }

    @Test("a move that failed is put off, told again, and made by a later start")
    func putOff() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        try temporary.write("in the way", to: "library/c")
        let moves = RecordedMoves(store: store, library: library)
        let done = try moves.finish(try record([(1, "a/x", "c/x")], store))
        #expect(done.map(\.error) == [.notAFolder(path: "c")] && done.map(\.path) == ["a/x"])
        #expect(try store.moves.recorded().isEmpty && !store.runs.isUnsettled())
        #expect(try store.moves.putOff().map(\.to) == ["c/x"] && path(1, store) == "a/x")

        var told: [FileMove] = []
        try CrashRecovery(store: store, library: library).run(at: Date()) { told = $0 }
        #expect(told.isEmpty, "before the comparison nobody knows whether it is still wanted")
        try again(moves, store, in: false) { told = $0 }
        try moves.again([], in: { _ in true }) { told = $0 }
        #expect(told.isEmpty)
        try again(moves, store) { told = $0 }
        #expect(told.map(\.error) == [.notAFolder(path: "c")])
        #expect(try store.moves.putOff().count == 1)

        try FileManager.default.removeItem(atPath: temporary.at("library/c").string)
        try again(moves, store) { told = $0 }
        #expect(told.map(\.path) == ["c/x"] && told.allSatisfy { $0.error == nil })
        #expect(try store.moves.putOff().isEmpty && path(1, store) == "c/x")
        #expect(temporary.files(under: "library") == ["b/x": "b", "c/x": "a"])
    }

    @Test("a move that was put off isn't made for a video that is downloaded again: its new file replaces the old one")
    func putOffAndReplaced() throws {
        let (moves, store) = try putOffThenRetried()
        let id = DownloadID(rawValue: 1)
        try again(moves, store)
        #expect(try path(1, store) == "a/x" && store.moves.putOff().count == 1)
        #expect(temporary.files(under: "library") == ["a/x": "a", "b/x": "b"])
        try store.write([
            .begin(id), .placing(id, StoredFile(path: "c/x", size: 1, modified: 1, sha256: nil, source: [])),
        ])
        try store.write([.finish(id)])
        #expect(try store.moves.putOff().isEmpty)
    }

    @Test("a move that was put off is made for a video that waits and has left its catalog: nothing replaces its file")
    func putOffAndGone() throws {
        let (moves, store) = try putOffThenRetried()
        var changes = ReconcileChanges()
        changes.gone = [DownloadID(rawValue: 1)]
        try store.catalogs.apply(changes)
        try again(moves, store)
        #expect(try path(1, store) == "c/x" && store.moves.putOff().isEmpty)
        #expect(temporary.files(under: "library") == ["c/x": "a", "b/x": "b"])
    }

    @Test("a file whose video got another one while its move was unfinished is removed, and nobody else's is")
    func orphaned() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        let moves = try record([(1, "a/x", "c/x"), (2, "b/x", "d/x")], store)
        try temporary.make("library/.coursefetch/moving")
        for (move, from) in zip(moves, ["a/x", "b/x"]) {
            try FileManager.default.moveItem(
                atPath: temporary.at("library/\(from)").string,
                toPath: temporary.at("library/.coursefetch/moving/\(move.id)").string)
        }
        // The first is downloaded again, to where its move leads.
        try temporary.write("new", to: "library/c/x")
        let file = StoredFile(path: "c/x", size: 3, modified: 1, sha256: nil, source: [1])
        let id = DownloadID(rawValue: 1)
        try store.write([.steer(id, .retry), .begin(id), .placing(id, file), .finish(id)])
        try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(temporary.files(under: "library") == ["c/x": "new", "d/x": "b"])
        #expect(try path(1, store) == "c/x" && path(2, store) == "d/x" && store.moves.recorded().isEmpty)
        #expect(!temporary.names().contains { $0.hasPrefix("library/.coursefetch/moving/") })
    }

    /// Both files were collected for these moves when their run was killed.
    private func collect(_ moves: [RecordedMove]) throws {
        try temporary.make("library/.coursefetch/moving")
        for move in moves {
            try FileManager.default.moveItem(
                atPath: temporary.at("library/\(move.from)").string,
                toPath: temporary.at("library/.coursefetch/moving/\(move.id)").string)
        }
    }

    @Test("a file whose row has none stays, since it wasn't found before its move; that of a removed row doesn't")
    func lostOrRemoved() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        try collect(try record([(1, "a/x", "c/x"), (2, "b/x", "d/x")], store))
        try store.write([.lose(DownloadID(rawValue: 1))])
        try store.downloads.delete([DownloadID(rawValue: 2)])
        var told: [FileMove] = []
        try CrashRecovery(store: store, library: library).run(at: Date()) { told = $0 }
        #expect(temporary.files(under: "library") == ["c/x": "a"])
        #expect(told.filter { !$0.isOrphan }.map(\.path) == ["c/x"], "what was removed isn't told as moved")
        #expect(try store.moves.recorded().isEmpty)
    }

    @Test(
        "a move that was unfinished when its video's new file was placed leaves one of both, wherever the kill came",
        arguments: [("c/x", true), ("c/x", false), ("c/y", true), ("c/y", false)])
    func movedWhilePlacing(path new: String, isComplete: Bool) throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        try collect(Array(try record([(1, "a/x", "c/x")], store)))
        let id = DownloadID(rawValue: 1)
        var file = StoredFile(path: new, size: 5, modified: 1, sha256: nil, source: [2])
        if isComplete {
            let facts = try #require(try library.partials.facts(of: try library.write("bytes", to: 1)))
            file.modified = facts.modified
        }
        try store.write([.steer(id, .retry), .begin(id), .placing(id, file)])
        let outcome = try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(outcome.unsettled.isEmpty)
        let place = isComplete ? new : "c/x"
        #expect(temporary.files(under: "library") == [place: isComplete ? "bytes" : "a", "b/x": "b"])
        #expect(try path(1, store) == place)
        #expect(try store.downloads.record(id)?.oldFile == nil && store.moves.recorded().isEmpty)
    }

    @Test("an old file that can't be removed keeps its course from nothing")
    func oldFileStays() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        let id = DownloadID(rawValue: 1)
        try temporary.write("bytes", to: "library/c/x")
        let facts = try #require(try library.files.facts(of: "c/x"))
        let file = StoredFile(path: "c/x", size: 5, modified: facts.modified, sha256: nil, source: [2])
        try store.write([.steer(id, .retry), .begin(id), .placing(id, file)])
        // Somebody has moved the old one's folder elsewhere, and left a link.
        try FileManager.default.moveItem(
            atPath: temporary.at("library/a").string, toPath: temporary.at("elsewhere").string)
        try FileManager.default.createSymbolicLink(
            atPath: temporary.at("library/a").string, withDestinationPath: temporary.at("elsewhere").string)
        let later = try LibraryFolder.testing(temporary.at("library"))
        let outcome = try CrashRecovery(store: store, library: later).run(at: Date())
        #expect(outcome.unsettled.isEmpty && outcome.finished.map(\.id) == [id])
        #expect(try path(1, store) == "c/x" && store.downloads.record(id)?.state == .finished)
        #expect(temporary.has("elsewhere/x"))
    }

    @Test("a swap of which one file stays is completed by a later start")
    func swap() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        let plan = try #require(try MovePlan.plan([(from: "a/x", to: "b/x"), (from: "b/x", to: "a/x")]))
        var changes = ReconcileChanges()
        changes.moves = plan.moves.enumerated().map { number, move in
            RecordedMove(
                id: move.id, from: move.from, to: move.to, owner: .download(DownloadID(rawValue: Int64(number + 1))))
        }
        try store.catalogs.apply(changes)
        // The first couldn't be collected, as its mark says.
        var mark = MoveMarker()
        mark.collected = [plan.moves[0].id: .stayed, plan.moves[1].id: .file(size: 1, modified: 1)]
        let moving = temporary.at("library/.coursefetch/moving")
        try FileManager.default.moveItem(
            atPath: temporary.at("library/b/x").string, toPath: moving.appending(plan.moves[1].id).string)
        try temporary.write(mark.text, to: "library/.coursefetch/moving/\(MoveMarker.fileName(of: plan.id))")

        try CrashRecovery(store: store, library: library).run(at: Date())
        #expect(temporary.files(under: "library") == ["a/x": "a", "a/x [2]": "b"])
        let moves = RecordedMoves(store: store, library: library)
        try again(moves, store)
        #expect(temporary.files(under: "library") == ["b/x": "a", "a/x": "b"])
        #expect(try path(1, store) == "b/x" && path(2, store) == "a/x")
    }

    @Test("a move that was put off is dropped when its video has another file, or another move")
    func superseded() throws {
        let world = try world()
        let (library, store) = world
        try finish(world)
        try temporary.write("in the way", to: "library/c")
        let moves = RecordedMoves(store: store, library: library)
        try moves.finish(try record([(1, "a/x", "c/x"), (2, "b/x", "c/y")], store))
        #expect(try store.moves.putOff().count == 2)
        // The user has removed one; the other one is called something else by now.
        try store.write([.steer(DownloadID(rawValue: 1), .remove), .fileRemoved(DownloadID(rawValue: 1))])
        let other = try record([(2, "b/x", "d/x")], store)
        #expect(try store.moves.putOff().isEmpty)
        try moves.finish(other)
        try again(moves, store)
        #expect(temporary.files(under: "library") == ["a/x": "a", "c": "in the way", "d/x": "b"])
    }

    @Test("a move leads to the file of a stem, and to no other one that begins like it")
    func leads() {
        func move(to: String) -> RecordedMove {
            RecordedMove(id: "1", from: "a/x.mp4", to: to, owner: .download(DownloadID(rawValue: 1)))
        }
        for to in ["c/V 1.mp4", "c/V 1.en.vtt", "c/V 1.hls/index.m3u8", "c/V 1 [v].hls/a.m4s"] {
            #expect(move(to: to).leads(to: "c/V 1"))
        }
        for to in ["c/V 11.mp4", "c/V 1 more.mp4", "c/V.mp4", "d/V 1.mp4", "c/V 1"] {
            #expect(!move(to: to).leads(to: "c/V 1"))
        }
    }
}
