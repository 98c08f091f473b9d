import FileSystem
import Foundation
import GRDB
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DownloadStore

@Suite("The store")
struct DownloadStoreTests {
    let fixture = StoreFixture()

    @Test("a download's way from new to finished leaves no temporary values")
    func life() throws {
        let store = try fixture.open()
        let id = try #require(try StoreFixture.add(1, to: store).first)
        let validators = Validators(etag: "\"x\"", lastModified: nil)
        try store.write([.begin(id), .progress(id, ProgressFacts(bytes: 5, total: 9, validators: validators))])
        var record = try #require(try store.downloads.record(id))
        #expect(record.state == .active)
        #expect(record.durableBytes == 5)
        #expect(record.highWater == 5)
        #expect(record.validators == validators)
        try store.write([.placing(id, StoreFixture.file)])
        record = try #require(try store.downloads.record(id))
        #expect(record.state == .active)
        #expect(record.isPlacing)
        try store.write([.finish(id)])
        record = try #require(try store.downloads.record(id))
        #expect(record.state == .finished)
        #expect(record.file == StoreFixture.file)
        #expect(record.durableBytes == 0)
        #expect(record.validators == Validators())
        #expect(!record.isPlacing)
    }

    @Test("a transaction with one refused transition writes nothing at all")
    func atomic() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        #expect(throws: StoreError.refusedTransition(ids[1], .lose, from: .waiting)) {
            try store.write([.begin(ids[0]), .lose(ids[1])])
        }
        #expect(try store.downloads.record(ids[0])?.state == .waiting)
    }

    @Test("a put-back download waits for less than a night; an older row with a longer wait doesn't wait any more")
    func longestWait() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        let now = Date(timeIntervalSince1970: 1_795_000_000)
        try store.write(
            ids.map { .putBack($0, retryAt: now.addingTimeInterval(365 * 86_400), error: nil) }, at: now)
        #expect(try store.downloads.record(ids[0])?.retryAt == now.addingTimeInterval(20 * 3600))
        let queue = try DatabaseQueue(path: fixture.path)
        try queue.write { db in
            try db.execute(
                sql: "UPDATE downloads SET retry_at = ? WHERE id = ?",
                arguments: [now.timeIntervalSince1970 + 365 * 86_400, ids[1].rawValue])
        }
        _ = try store.runs.recover(at: now.addingTimeInterval(60))
        #expect(try store.downloads.record(ids[0])?.retryAt == now.addingTimeInterval(20 * 3600))
        #expect(try store.downloads.record(ids[1])?.retryAt == nil)
        // A nightly run that comes an hour earlier than the one of the night before.
        _ = try store.runs.recover(at: now.addingTimeInterval(23 * 3600))
        #expect(try store.downloads.record(ids[0])?.retryAt == nil)
    }

    @Test("while a successor is placed the old file's record is kept, and restored if it isn't placed")
    func unplace() throws {
        let store = try fixture.open()
        let id = try #require(try StoreFixture.add(1, to: store).first)
        try store.write([.begin(id), .placing(id, StoreFixture.file), .finish(id), .refetch(id), .begin(id)])
        // It has to be replaced.
        var old = StoreFixture.file
        old.source = []
        var successor = StoredFile(path: "C/01 New.mp4", size: 10, modified: 8, sha256: [3], source: [2])
        successor.role = "slides"
        try store.write([.placing(id, successor)])
        var second = successor
        second.path = "C/01 New [v1].mp4"
        try store.write([.placing(id, second)])
        #expect(try store.downloads.record(id)?.oldFile == old)
        #expect(try store.downloads.record(id)?.file == second)
        try store.write([.unplace(id)])
        #expect(try store.downloads.record(id)?.file == old)
        #expect(try store.downloads.record(id)?.isPlacing == false)
    }

    @Test("a file that stays keeps its record, also if what was to come beside it isn't placed")
    func stays() throws {
        let store = try fixture.open()
        let id = try #require(try StoreFixture.add(1, to: store).first)
        var file = StoreFixture.file
        file.role = "combined"
        file.checksums = PublishedChecksums(md5: String(repeating: "a", count: 32), sha1: nil, crc32: nil)
        try store.write([.begin(id), .placing(id, file), .finish(id), .refetch(id, keepsFile: true), .begin(id)])
        #expect(try store.downloads.record(id)?.file == file)
        var again = file
        again.source = [7]
        try store.write([.placing(id, again), .unplace(id)])
        #expect(try store.downloads.record(id)?.file == file)
        // Whoever wants it again wants all of it.
        try store.write([.finish(id), .steer(id, .retry)])
        #expect(try store.downloads.record(id)?.file?.source == [])
    }

    @Test("after a kill active downloads wait again; paused ones stay paused")
    func recover() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(5, to: store)
        let error = DownloadError(kind: .network, message: "no", status: nil)
        let now = Date()
        try store.write([
            .begin(ids[0]), .suspend(ids[1], .auth), .fail(ids[2], error, retryAt: now - 1),
            .fail(ids[3], error, retryAt: nil), .begin(ids[4]), .placing(ids[4], StoreFixture.file),
        ])
        let placing = try store.runs.recover(at: now)
        #expect(placing.map(\.id) == [ids[4]])
        let states = try ids.map { try store.downloads.record($0)?.state }
        #expect(states == [.waiting, .waiting, .waiting, .failed, .waiting])
        #expect(try store.downloads.record(ids[2])?.failedRuns == 1)
    }

    @Test("starting over forgets validators and bytes, but not how often it happened")
    func startOver() throws {
        let store = try fixture.open()
        let id = try #require(try StoreFixture.add(1, to: store).first)
        let facts = ProgressFacts(bytes: 5, total: 9, validators: Validators(etag: "\"x\"", lastModified: "d"))
        try store.write([
            .begin(id), .progress(id, facts),
            .startOver(id, validatorFailures: 1, startOvers: 2, givesUpRanges: true),
            .startOver(id, validatorFailures: 1, startOvers: 2),
        ])
        let record = try #require(try store.downloads.record(id))
        #expect(record.durableBytes == 0)
        #expect(record.totalBytes == nil)
        #expect(record.validators == Validators())
        #expect(record.validatorFailures == 1)
        #expect(record.startOvers == 2)
        #expect(record.hasGivenUpRanges)
    }

    @Test("ids are never reused, even after deleting")
    func ids() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(3, to: store)
        try store.downloads.delete([ids[2]])
        #expect(try store.downloads.nextID() > ids[2].rawValue)
    }

    @Test("a scan returns the recorded rows, without copies")
    func scan() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        var seen: [DownloadID] = []
        try store.downloads.scan { row in
            seen.append(row.id)
            #expect(row.equals(.course, "c"))
            #expect(!row.equals(.course, "d"))
            #expect(!row.equals(.course, ""))
            #expect(row.equals(.chapter, nil as String?))
            #expect(row.equals(.source, [1] as SourceDigest))
            #expect(row.equals(.expectedSize, nil as Int64?))
            #expect(row.string(.state) == "waiting")
        }
        #expect(seen == ids)
    }

    @Test("an error is cleared once bytes arrive again, not before")
    func healed() throws {
        let store = try fixture.open()
        let id = try StoreFixture.add(1, to: store)[0]
        let error = DownloadError(kind: .network, message: "the connection broke", status: 502)
        func facts(_ bytes: Int64) -> ProgressFacts { ProgressFacts(bytes: bytes, total: 9, validators: Validators()) }
        try store.write([
            .begin(id), .progress(id, facts(5)), .putBack(id, retryAt: nil, error: error), .begin(id),
            .progress(id, facts(5)),
        ])
        #expect(try store.downloads.record(id)?.error == error)
        try store.write([.progress(id, facts(6))])
        let record = try #require(try store.downloads.record(id))
        #expect(record.error == nil && record.durableBytes == 6 && record.highWater == 6)
    }

    @Test("the media type is kept with a partial, and the proof of a file with the file")
    func typeAndProof() throws {
        let store = try fixture.open()
        let id = try StoreFixture.add(1, to: store)[0]
        let facts = ProgressFacts(bytes: 5, total: 9, validators: Validators(), mediaType: "video/webm")
        try store.write([.begin(id), .progress(id, facts)])
        #expect(try store.downloads.record(id)?.mediaType == "video/webm")
        try store.write([.startOver(id, validatorFailures: 0, startOvers: 1)])
        #expect(try store.downloads.record(id)?.mediaType == nil)

        for proof in [FileProof.etag("\"a\""), .stream(StreamDigest(0..<32))] {
            var file = StoreFixture.file
            file.proof = proof
            try store.write([.placing(id, file), .finish(id)])
            #expect(try store.downloads.record(id)?.file?.proof == proof)
            try store.write([.recorded(id, file)])
            #expect(try store.downloads.record(id)?.file?.proof == proof)
            file.sha256 = [9]
            try store.write([.recorded(id, file)])
            #expect(try store.downloads.record(id)?.file?.proof == nil, "other bytes, by whatever way")
            try store.write([.lose(id)])
        }
    }

    @Test("an id is encoded as its number, alone and in records")
    func codedID() throws {
        let id = DownloadID(rawValue: 5)
        #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == "[5]")
        #expect(try JSONDecoder().decode([DownloadID].self, from: Data("[5]".utf8)) == [id])
        let owner = RecordedMove.Owner.download(id)
        #expect(String(decoding: try JSONEncoder().encode(owner), as: UTF8.self) == #"{"download":{"_0":5}}"#)
    }

    @Test("moves stay recorded until the new paths are")
    func moves() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        for id in ids { try store.write([.begin(id), .placing(id, StoreFixture.file), .finish(id)]) }
        try store.write([
            .sidecar(
                .stored(
                    SidecarRecord(
                        download: ids[0], kind: .subtitle, name: "en", path: "C/a.en.vtt", size: 1, modified: 2)))
        ])
        var changes = ReconcileChanges()
        changes.moves = [
            RecordedMove(id: "x-0", from: StoreFixture.file.path, to: "b", owner: .download(ids[0])),
            RecordedMove(
                id: "x-1", from: "C/a.en.vtt", to: "C/b.en.vtt",
                owner: .sidecar(download: ids[0], kind: "subtitle", name: "en")),
        ]
        try store.catalogs.apply(changes)
        #expect(try store.moves.recorded().sorted { $0.id < $1.id } == changes.moves)
        let before = try store.metadata.current()
        try store.moves.finish(changes.moves.map { ($0, $0.to) })
        #expect(try store.metadata.current() != before, "the files beside the course's media have to follow")
        #expect(try store.moves.recorded().isEmpty)
        #expect(try store.downloads.record(ids[0])?.file?.path == "b")
        #expect(try store.sidecars.files(of: [ids[0]]).map(\.path) == ["C/b.en.vtt"])
        #expect(try store.downloads.record(ids[1])?.file?.path == StoreFixture.file.path)
    }

    @Test("forgetting a file makes its courses' downloads gone, and only those")
    func forget() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        #expect(try store.catalogs.forget(file: "/other.yaml") == 0)
        #expect(try store.catalogs.forget(file: "/c.yaml") == 2)
        #expect(try store.downloads.record(ids[0])?.isGone == true)
    }

    @Test("the history of runs distinguishes a killed run from one that ended")
    func runs() throws {
        let store = try fixture.open()
        _ = try StoreFixture.add(2, to: store)
        let first = try store.runs.begin(catalogs: ["a.yaml"])
        var end = RunEnd()
        end.finished = 3
        end.conditions = ["work_left"]
        end.stop = .window
        end.message = "why"
        end.failedAt = ["https://h": 2]
        try store.runs.end(first, end)
        _ = try store.runs.begin(catalogs: ["b.yaml"])
        let runs = try store.runs.newest(5)
        #expect(runs.map(\.catalogs) == [["b.yaml"], ["a.yaml"]])
        #expect(runs[0].end == nil && runs[0].added == nil)
        #expect(runs[1].end == end)
        // These were there before it.
        #expect(runs[1].added == 0)
        #expect(runs[1].libraryBytes == 0)
        #expect(try store.runs.newest(nil, before: runs[0].id).map(\.id) == [first])
    }

    @Test("what a run leaves alone is told until it ends, and no longer than until the next one begins")
    func waits() throws {
        let store = try fixture.open()
        let waits = [
            RunWait(name: "uni", until: Date(timeIntervalSince1970: 1000), kind: "unavailable"),
            RunWait(name: "h", until: Date(timeIntervalSince1970: 9e9), kind: "rate_limited", server: "https://h:8080"),
        ]
        let start = Date(timeIntervalSince1970: 500)
        #expect(try store.runs.waits(since: start) == [])
        let run = try store.runs.begin(catalogs: [], at: start)
        for known in [waits, [waits[1]]] {
            try store.write([.waits(known)])
            #expect(try store.runs.waits(since: start) == known)
        }
        // Of a run that was killed, while another command runs.
        #expect(try store.runs.waits(since: start + 1) == [])
        try store.runs.end(run, RunEnd())
        #expect(try store.runs.waits(since: start) == [])
        _ = try store.runs.begin(catalogs: [], at: start)
        #expect(try store.runs.waits(since: start) == [])
        let strange = RunWait(name: "h", until: Date(timeIntervalSince1970: 1e300), kind: "x")
        try store.write([.waits([strange])])
        #expect(try store.runs.waits(since: start) == [])
        try store.write([.waits(Array(repeating: waits[0], count: 51))])
        #expect(try store.runs.waits(since: start).count == 50)
        for text in ["[{}]", "[" + String(repeating: " ", count: 200_000) + "]", "{"] {
            try store.facts.set("waits", text)
            #expect(try store.runs.waits(since: start) == [])
        }
    }

    @Test("a run of an earlier version says whether it went well, and no more")
    func earlierRun() throws {
        let store = try fixture.open()
        try DatabaseQueue(path: fixture.path).write { db in
            try db.execute(
                sql: """
                    INSERT INTO runs (started_at, ended_at, catalogs, exit, finished)
                    VALUES (1, 2, '[]', 0, 3), (3, 4, '[]', 1, 0)
                    """)
        }
        let runs = try store.runs.newest(nil)
        #expect(runs.map(\.end?.conditions) == [nil, []])
        #expect(runs.map(\.end?.finished) == [0, 3])
        #expect(runs.allSatisfy { $0.added == nil && $0.libraryBytes == nil })
    }

    @Test("commits of other processes don't lose ours, nor ours theirs")
    func twoConnections() throws {
        let one = try fixture.open()
        let two = try fixture.open(.client)
        let ids = try StoreFixture.add(1, to: one)
        #expect(try two.downloads.record(ids[0])?.state == .waiting)
        try two.facts.set("x", "1")
        #expect(try one.facts.value("x") == "1")
        // Both at the same time, each in as many transactions as it can; none may be lost, and none may fail.
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { side in
            do {
                for number in 1...200 {
                    if side == 0 {
                        let facts = ProgressFacts(bytes: Int64(number), total: nil, validators: Validators())
                        try one.write([.progress(ids[0], facts)])
                        try one.facts.set("one-\(number)", "\(number)")
                    } else {
                        _ = try two.requests.add("\(number)")
                        try two.facts.set("two-\(number)", "\(number)")
                    }
                }
            } catch {
                failures.withLock { $0.append("\(side): \(error)") }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try two.downloads.record(ids[0])?.durableBytes == 200)
        #expect(try one.requests.open().map(\.body) == (1...200).map(String.init))
        for number in 1...200 {
            #expect(try two.facts.value("one-\(number)") == "\(number)")
            #expect(try one.facts.value("two-\(number)") == "\(number)")
        }
    }
}
