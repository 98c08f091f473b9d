import Foundation
import GRDB
import Testing

@testable import DownloadStore

@Suite("Missing sidecars")
struct SidecarRowTests {
    private let fixture = StoreFixture()
    private let now = Date(timeIntervalSince1970: 1_795_000_000)
    private let error = DownloadError(kind: .httpStatus, message: "no", status: 503)
    private let english = SidecarName(.subtitle, "en")
    private let slides = SidecarName(.attachment, "Slides")

    private func finished(_ count: Int = 1) throws -> (DownloadStore, [DownloadID]) {
        let store = try fixture.open()
        let ids = try StoreFixture.add(count, to: store)
        for id in ids { try store.write([.begin(id), .placing(id, StoreFixture.file), .finish(id)]) }
        return (store, ids)
    }

    private func file(_ id: DownloadID, _ name: SidecarName) -> SidecarRecord {
        SidecarRecord(download: id, kind: name.kind, name: name.name, path: "C/01 V.x", size: 3, modified: 4)
    }

    @Test("a sidecar is wanted until it is stored, or no longer named")
    func named() throws {
        let (store, ids) = try finished()
        try store.write([.sidecar(.named(ids[0], [english, slides]))])
        #expect(try store.sidecars.open().map(\.name) == [slides, english])
        #expect(try store.sidecars.files(of: ids).isEmpty)
        try store.write([.sidecar(.stored(file(ids[0], slides)))])
        #expect(try store.sidecars.open(of: ids).map(\.name) == [english])
        try store.write([.sidecar(.named(ids[0], [slides]))])
        #expect(try store.sidecars.open().isEmpty)
        #expect(try store.sidecars.files(of: ids).map(\.name) == ["Slides"])
    }

    @Test("a record of the library's list has all sidecars, whichever are requested")
    func kept() throws {
        let (store, ids) = try finished(2)
        try store.write([
            .sidecar(.stored(file(ids[1], english))), .sidecar(.named(ids[0], [slides])),
        ])
        var kept: [FileListEntry] = []
        try store.fileList.each(nil) { kept.append($0) }
        #expect(kept.map(\.path) == [StoreFixture.file.path, StoreFixture.file.path])
        #expect(kept.map(\.complete) == [false, true])
        #expect(
            kept.map(\.beside)
                == [nil, [FileListEntry.Beside(kind: "subtitle", name: "en", path: "C/01 V.x", size: 3, modified: 4)]])
        var again: [FileListEntry] = []
        try store.fileList.each(ids.reversed()) { again.append($0) }
        #expect(again == kept.reversed())
    }

    @Test("a waiting sidecar is due at its time, a failed one at its own or on the user's retry")
    func times() throws {
        let (store, ids) = try finished()
        let later = now + 3600
        try store.write(
            [
                .sidecar(.named(ids[0], [english, slides])),
                .sidecar(.waits(ids[0], english, retryAt: later, error)),
                .sidecar(.failed(ids[0], slides, error, retryAt: nil)),
            ], at: now)
        let open = try store.sidecars.open()
        #expect(open.map(\.state) == [.failed, .wanted])
        #expect(open.map { $0.isDue(at: now) } == [false, false])
        #expect(open.map { $0.isDue(at: later) } == [false, true])
        #expect(open[0].failedRuns == 1 && open[0].error == error)
        // Named again, it stays failed.
        try store.write([.sidecar(.named(ids[0], [english, slides]))])
        #expect(try store.sidecars.open().map(\.state) == [.failed, .wanted])
        try store.write([.sidecar(.retried(ids[0]))])
        #expect(try store.sidecars.open().allSatisfy { $0.isDue(at: now) && $0.failedRuns == 0 && $0.error == nil })
    }

    @Test("a failure of a sidecar stored or forgotten in the meantime changes nothing")
    func late() throws {
        let (store, ids) = try finished()
        try store.write([
            .sidecar(.named(ids[0], [english])), .sidecar(.stored(file(ids[0], english))),
            .sidecar(.failed(ids[0], english, error, retryAt: nil)),
            .sidecar(.waits(ids[0], slides, retryAt: nil, error)),
        ])
        #expect(try store.sidecars.open().isEmpty)
    }

    @Test("a missing file is wanted again; one to be replaced keeps its record until then")
    func lost() throws {
        let (store, ids) = try finished(2)
        for id in ids { try store.write([.sidecar(.stored(file(id, english)))]) }
        var other = file(ids[1], english)
        other.size = 9
        try store.write([.sidecar(.lost(file(ids[0], english))), .sidecar(.replaced(other))])
        #expect(try store.sidecars.open().map(\.download) == ids)
        other.isToBeReplaced = true
        #expect(try store.sidecars.files(of: ids) == [other])
        var kept: [FileListEntry] = []
        try store.fileList.each(nil) { kept.append($0) }
        #expect(kept.allSatisfy { $0.beside == nil }, "the list has only what is there")
        // Its provider doesn't name it any more: what stands there stays ours.
        try store.write([.sidecar(.named(ids[1], []))])
        #expect(try store.sidecars.open().map(\.download) == [ids[0]])
        other.isToBeReplaced = false
        #expect(try store.sidecars.files(of: ids) == [other])
    }

    @Test("an unasked row ends with an answer, or with a final refusal")
    func unasked() throws {
        let (store, ids) = try finished(2)
        try store.write(ids.map { .sidecar(.unasked($0)) })
        let row = SidecarName(.unasked, "")
        #expect(try store.sidecars.open().map(\.name) == [row, row])
        try store.write([.sidecar(.named(ids[0], [])), .sidecar(.unanswered(ids[1], error, retryAt: nil))])
        #expect(try store.sidecars.open().isEmpty)
    }

    @Test("rows go with their download, and with its file")
    func cascade() throws {
        let (store, ids) = try finished(2)
        for id in ids { try store.write([.sidecar(.named(id, [english]))]) }
        try store.downloads.delete([ids[0]])
        try store.write([.steer(ids[1], .remove), .fileRemoved(ids[1])])
        #expect(try store.sidecars.open(of: ids).isEmpty)
    }

    @Test("a provider's sidecars of a video are found by its file")
    func donors() throws {
        let (store, ids) = try finished()
        #expect(try !store.sidecars.hasNamed(video: "v1", path: StoreFixture.file.path))
        try store.write([.sidecar(.named(ids[0], [english]))])
        #expect(try store.sidecars.hasNamed(video: "v1", path: StoreFixture.file.path))
        #expect(try !store.sidecars.hasNamed(video: "v1", path: "C/other.mp4"))
    }

    @Test(
        "a file of an older version: stored sidecars stay; videos that may have lost some are asked once, others never",
        arguments: ["3", "5"])
    func migration(version: String) throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: version)
        try queue.write { db in
            // A video that has a subtitle, one that may have lost it, one that isn't finished, one of another provider, one
            // that is gone, another course where none has any, and one of which a video came in the last run, that was killed.
            for (id, course, provider, state, isGone) in [
                (1, "c", "p", "finished", 0), (2, "c", "p", "finished", 0), (3, "c", "p", "waiting", 0),
                (4, "c", "q", "finished", 0), (5, "c", "p", "finished", 1), (6, "d", "p", "finished", 0),
                (7, "e", "p", "finished", 0), (8, "e", "p", "finished", 0),
            ] {
                try db.execute(
                    sql: """
                        INSERT INTO downloads (id, course, video, title, position, ordinal, provider, source, priority, stem,
                            state, path, is_gone, updated_at)
                        VALUES (?, ?, ?, 'V', 1, 0, ?, x'00', 0, 'C/01 V', ?, 'C/01 V.mp4', ?, 0)
                        """, arguments: [id, course, "v\(id)", provider, state, isGone])
            }
            try db.execute(sql: "INSERT INTO runs (started_at, ended_at, catalogs, exit) VALUES (1, 2, '[]', 1)")
            try db.execute(sql: "INSERT INTO runs (started_at, catalogs) VALUES (100, '[]')")
            try db.execute(sql: "UPDATE downloads SET updated_at = iif(id = 8, 160, 90) WHERE course <> 'c'")
            try db.execute(sql: "INSERT INTO sidecars VALUES (1, 'subtitle', 'en', 'C/01 V.en.vtt', 3, 4)")
            try db.execute(sql: "INSERT INTO sidecars VALUES (6, 'stream', 'audio', 'D/01 V.m4a', 3, 4)")
        }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }
        let store = try fixture.open(.holder)
        let first = DownloadID(rawValue: 1)
        #expect(
            try store.sidecars.files(of: [first]) == [
                SidecarRecord(download: first, kind: .subtitle, name: "en", path: "C/01 V.en.vtt", size: 3, modified: 4)
            ])
        let open = try store.sidecars.open()
        #expect(open.map(\.download.rawValue) == [2, 8] && Set(open.map(\.name.kind)) == [.unasked])
        #expect(open.allSatisfy { $0.isDue(at: now) })
        #expect(try store.health.damages() == [])
    }
}
