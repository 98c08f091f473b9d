import DownloadStore
import GRDB
import Testing

@Suite("Numbers of bytes")
struct ByteCountTests {
    private let fixture = StoreFixture()

    @Test("a sum stops at the largest number; below zero counts as zero")
    func saturates() {
        let lies = Array(repeating: ByteCount.largestFile, count: 1_025)
        #expect(lies.byteCount(\.self).value == .max)
        #expect([Int64.max, 1].byteCount(\.self).value == .max)
        #expect([5, -3, 2].byteCount(\.self) == 7)
        #expect(ByteCount(5).remaining(after: 7) == 0)
        #expect(ByteCount(.max).remaining(after: 1).value == .max - 1)
    }

    @Test("a size beyond 2^53 bytes, or below zero, is unknown")
    func believed() {
        #expect(ByteCount.believed(ByteCount.largestFile) == 9_007_199_254_740_992)
        #expect(ByteCount.believed(ByteCount.largestFile + 1) == nil)
        #expect(ByteCount.believed(-1) == nil)
    }

    @Test("rows with impossible sizes are read as of unknown size, and sums of rows don't overflow")
    func rows() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(3, to: store)
        store.close()
        let queue = try DatabaseQueue(path: fixture.path)
        try queue.write { db in
            let lie = Int64(9_000_000_000_000_000_000)
            try db.execute(
                sql:
                    "UPDATE downloads SET total_bytes = ? WHERE video <> 'v3'; UPDATE downloads SET total_bytes = 10 WHERE video = 'v3'",
                arguments: [lie])
            for name in ["a", "b"] {
                try db.execute(
                    sql:
                        "INSERT INTO sidecars (download, kind, name, path, size, modified) VALUES (?, 'attachment', ?, ?, ?, 0)",
                    arguments: [ids[0].rawValue, name, name, lie])
            }
        }
        try queue.close()
        let opened = try fixture.open()
        #expect(try opened.downloads.record(ids[0])?.totalBytes == nil)
        #expect(try opened.downloads.remaining() == (10, 2))
        #expect(try opened.sidecars.bytes() == ["c": ByteCount(.max)])
        try opened.write([.progress(ids[2], ProgressFacts(bytes: 1, total: .max, validators: Validators()))])
        #expect(try opened.downloads.record(ids[2])?.totalBytes == nil)
    }
}
