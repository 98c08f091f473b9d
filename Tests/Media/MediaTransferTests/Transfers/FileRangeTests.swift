import Foundation
import MediaTransfer
import TestServers
import Testing

@Suite("several transfers into one file")
struct FileRangeTests {
    private static let least: Int64 = 1 << 20
    private let content = TestContent(seed: 1, size: 12_000_001)

    /// A part of a file at nginx, whose entity tags are made of time and size.
    private func request(
        _ url: String, _ range: FileRange, of total: Int64, _ etag: String
    ) -> TransferRequest {
        let (part, overlap) = (range.remaining, TransferRequest.overlap(of: etag, total: total))
        var request = TransferRequest(url: url)
        request.start = .piece(
            part, before: min(overlap, range.continued), after: min(overlap, total - part.upperBound), total: total,
            etag: etag)
        return request
    }

    /// Begins to fetch the file, and tells the partial what it is.
    private func begin(
        _ bench: Workbench, _ url: String, _ partial: PartialFile
    ) async throws -> (task: Task<TransferReport, Never>, total: Int64, etag: String) {
        let progress = TransferProgress()
        let range = try #require(try partial.take(0..<Int64.max))
        let task = Task { await bench.engine.fetch(TransferRequest(url: url), into: range, progress: progress) }
        try await until("bytes arrive") { progress.received > 100_000 }
        let (total, etag) = (try #require(progress.head?.total), try #require(progress.head?.etag))
        partial.identify(total: total, overlap: TransferRequest.overlap(of: etag, total: total))
        return (task, total, etag)
    }

    @Test("one that comes later takes over half of what is left; where they meet 16 KiB are compared")
    func split() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let url = server.url("/limited/a.mp4?rate=1m")
        let partial = try bench.partial()
        let first = try await begin(bench, url, partial)
        #expect(try partial.take(11_000_000..<11_000_010) == nil, "the first one has all of it")
        let ranges = try (0..<2).map { _ in try #require(try partial.takeNext(least: Self.least)) }
        let reports = await withTaskGroup(of: TransferReport.self) { group in
            for range in ranges {
                let request = request(url, range, of: first.total, first.etag)
                group.addTask { await bench.engine.fetch(request, into: range) }
            }
            return await group.reduce(into: [await first.task.value]) { $0.append($1) }
        }
        #expect(reports.allSatisfy { $0.failure == nil })
        #expect(reports.reduce(0) { $0 + $1.received } == first.total)
        #expect(partial.length == first.total && partial.extents.beyond.isEmpty && partial.conflict == nil)
        #expect(try await partial.sha256() == content.sha256)
        #expect(try bench.folder.read("file.part") == content.all)
        await bench.finish()
        await server.stop()
        let log = try server.log()
        #expect(log.map(\.status).sorted() == [200, 206, 206])
        for range in ranges {
            let line = try #require(log.first { $0.rangeStart == Int(range.start) })
            #expect(line.ifRange == first.etag)
        }
    }

    @Test("a part of which nothing comes is given back to the transfer of the part before it, which goes on")
    func givenBack() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        var answer = ScriptedAnswer.bytes(content.all, "video/mp4").held
        answer.lines = [#"ETag: "1""#]
        host.script("/a.mp4", [answer])
        let partial = try bench.partial()
        let first = try #require(try partial.take(0..<Int64.max))
        let task = Task { await bench.engine.fetch(TransferRequest(url: host.url("/a.mp4")), into: first) }
        try await until("it is asked for") { !host.requests().isEmpty }
        let total = Int64(content.size)
        partial.identify(total: total, overlap: TransferRequest.overlap(of: #""1""#, total: total))
        let ranges = try (0..<3).map { _ in try #require(try partial.takeNext(least: Self.least)) }
        for range in ranges {
            // Without asking anybody, before the first one comes to its end.
            let request = request("no address", range, of: total, #""1""#)
            #expect(await bench.engine.fetch(request, into: range).failure != nil)
        }
        host.release("/a.mp4")
        #expect(await task.value.failure == nil)
        #expect(partial.length == total)
        #expect(try await partial.sha256() == content.sha256)
        await bench.finish()
        await host.stop()
        #expect(host.requests().map(\.status) == [200])
    }

    @Test("a server that has another file of the same time and size is found out where they meet")
    func replaced() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let partial = try bench.partial()
        let first = try await begin(bench, server.url("/limited/a.mp4?rate=1m"), partial)
        // nginx has the old file open.
        let path = server.file("a.mp4")
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        try FileManager.default.removeItem(atPath: path)
        try server.add("a.mp4", TestContent(seed: 2, size: content.size))
        try FileManager.default.setAttributes([.modificationDate: date as Any], ofItemAtPath: path)
        let range = try #require(try partial.takeNext(least: Self.least))
        let request = request(server.url("/plain/a.mp4"), range, of: first.total, first.etag)
        #expect(await bench.engine.fetch(request, into: range).failure == nil)
        #expect(await first.task.value.failure == nil)
        #expect(partial.conflict == .differs)
        #expect(partial.length == range.start && partial.extents.beyond.count == 1)
        try partial.startOver()
        #expect(partial.conflict == nil && partial.extents.count == 0)
        await bench.finish()
        await server.stop()
    }

    @Test("padding where they meet proves nothing: what follows is dropped, and the file is right in the end")
    func padding() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        let bytes = [UInt8](repeating: 7, count: 24_000_000)
        try server.add("a.mp4", bytes: bytes)
        let partial = try bench.partial()
        let first = try await begin(bench, server.url("/limited/a.mp4?rate=1m"), partial)
        let range = try #require(try partial.takeNext(least: Self.least))
        let request = request(server.url("/plain/a.mp4"), range, of: first.total, first.etag)
        #expect(await bench.engine.fetch(request, into: range).failure == nil)
        #expect(await first.task.value.failure == nil)
        #expect(partial.conflict == .provesNothing)
        try partial.dropBeyond()
        #expect(partial.conflict == nil && partial.length == range.start && partial.extents.beyond.isEmpty)
        await bench.finish()
        await server.stop()
    }

    @Test("a part that was begun is continued, with the bytes before it compared; so are those of an earlier process")
    func continued() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let url = server.url("/plain/a.mp4")
        let whole = content.all
        var bytes = whole
        bytes.replaceSubrange(2_000_000..<5_000_000, with: repeatElement(0, count: 3_000_000))
        bytes.replaceSubrange(9_000_000..., with: [])
        try bench.folder.write("file.part", bytes)
        let partial = try PartialFile(
            descriptor: bench.descriptor(), length: 2_000_000, beyond: [5_000_000..<9_000_000], hashes: true)
        #expect(partial.extents.count == 6_000_000 && partial.length == 2_000_000)
        let head = try #require(await bench.fetch(url, into: try bench.partial("other.part")).head)
        let (total, etag) = (try #require(head.total), try #require(head.etag))
        partial.identify(total: total, overlap: TransferRequest.overlap(of: etag, total: total))
        var starts: [Int64] = []
        while let range = try partial.takeNext(least: Self.least) {
            starts.append(range.start)
            let report = await bench.engine.fetch(request(url, range, of: total, etag), into: range)
            #expect(report.failure == nil)
        }
        #expect(starts == [2_000_000, 9_000_000])
        #expect(partial.length == total)
        #expect(try await partial.sha256() == content.sha256)
        await bench.finish()
        await server.stop()
        let log = try server.log().dropFirst()
        #expect(log.map(\.rangeStart) == [2_000_000 - 16_384, 9_000_000 - 16_384])
        #expect(log.map(\.bytes) == [3_000_000 + 2 * 16_384, 3_000_001 + 16_384])
    }

    @Test("a part that is ended leaves the rest missing, which continues it")
    func ended() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let url = server.url("/limited/a.mp4?rate=1m")
        let partial = try bench.partial()
        let first = try await begin(bench, url, partial)
        let range = try #require(try partial.takeNext(least: Self.least))
        range.end()
        #expect(await bench.engine.fetch(request(url, range, of: first.total, first.etag), into: range).failure == nil)
        let rest = try #require(try partial.takeNext(least: Self.least))
        #expect(rest.continued > 0 && rest.start > range.start)
        #expect(await bench.engine.fetch(request(url, rest, of: first.total, first.etag), into: rest).failure == nil)
        #expect(await first.task.value.failure == nil)
        #expect(partial.length == first.total && partial.conflict == nil)
        #expect(try await partial.sha256() == content.sha256)
        await bench.finish()
        await server.stop()
    }
}
