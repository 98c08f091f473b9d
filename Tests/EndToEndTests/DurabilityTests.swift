import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("the order of durable steps", .serialized)
struct DurabilityTests {
    @Test("data, then the row, then the name, then the folder, then finished, then the event")
    func order() async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = [80_000, 500_000, 90_000, 100_000].map { size in
            CatalogText.Video(id: "\(size)", extra: ["parameters: {size: \(size)}"])
        }
        let catalog = CatalogText(url: host.url("/media/5/{size}.mp4"), videos: videos)
        try stage.catalog(catalog)
        let calls = "trace=fdatasync,fsync,renameat2,renameat,rename,linkat,pwrite64,write,mkdirat,mkdir"
        let outcome = try await stage.traced(["-s", "200", "-e", calls], ["--jobs", "2"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let trace = TraceSteps(stage.traceLog)
        let flushes = trace.all(["fdatasync", "fsync"]) { _ in true }
        let commits = flushes.filter { $0.paths.first?.hasSuffix("/state.sqlite-wal") == true }
        let finished = outcome.events("download_finished")
        #expect(finished.count == 4)
        for event in finished {
            let path = FilePath(try #require(event.path))
            let name = try #require(path.lastComponent?.string)
            let folder = stage.library.appending(path.removingLastComponent().string).string
            let renames = trace.all(["renameat2", "renameat", "rename"]) { $0.texts.last?.hasSuffix(name) == true }
            let rename = try #require(renames.last, "\(name)")
            let partial = try #require(rename.texts.first?.split(separator: "/").last)
            let isPartial = { (step: TraceSteps.Step) in step.paths.first?.hasSuffix("/partials/\(partial)") == true }
            let data = try #require(flushes.last { isPartial($0) && $0.end < rename.begin }, "data of \(name)")
            let lastWrite = try #require(trace.all(["pwrite64"], isPartial).map(\.end).max(), "\(name)")
            #expect(lastWrite < data.begin, "\(name): all is written before it is flushed")
            #expect(commits.contains { $0.begin > data.end && $0.end < rename.begin }, "\(name): row, then name")
            let folderFlush = try #require(
                flushes.first { $0.begin > rename.end && $0.paths.first == folder }, "the folder of \(name)")
            let commit = try #require(commits.first { $0.begin > folderFlush.end }, "\(name): folder, then finished")
            let told = trace.all(["write"]) {
                $0.arguments.hasPrefix("1<") && $0.arguments.contains("download_finished")
            }
            #expect(told.allSatisfy { !$0.arguments.contains("\(event.video ?? "?")\\\"") || $0.begin > commit.end })
        }
        // The folder that was made for them has a name that lasts, too.
        let folders = trace.all(["mkdirat", "mkdir"]) { $0.texts.last?.hasSuffix("Course") == true }
        let made = try #require(folders.first)
        #expect(flushes.contains { $0.begin > made.end && $0.paths.first == stage.library.string })
        await host.stop()
    }

    @Test("data that can't be flushed is downloaded again from the first byte", arguments: [1, 2])
    func failingFlush(_ when: Int) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try Stage()
        let content = TestContent(seed: 1, size: 600_000)
        // Long enough for a flush in the middle.
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/600000.mp4?rate=250000"), videos: [.init(id: "1"), .init(id: "2")]))
        let partial = stage.library.appending(".coursefetch/partials/1.part").string
        let outcome = try await stage.traced(
            ["-P", partial, "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=\(when)"], ["--jobs", "2"])
        // strace counts for each thread by itself, and a flush may come from any of several.
        let injected = stage.traceLog.count { $0.contains("INJECTED") }
        #expect(injected > 0, "\(stage.traceLog)")
        let asked = host.requests(path: "/media/1/600000.mp4").map(\.rangeStart)
        #expect(asked.allSatisfy { $0 == nil } && asked.count == min(injected, 2) + 1, "\(outcome.report)")
        // The third time is one too many.
        #expect(outcome.exit == (injected > 2 ? 1 : 0), "\(outcome.report)")
        if injected <= 2 { #expect(LibraryFiles(stage.library).digests["Course/01 1.mp4"] == content.sha256Text) }
        #expect(host.requests(path: "/media/2/600000.mp4").count == 1)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a commit that can't be flushed ends the run with 73, and the next one goes on")
    func failingCommit() async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...4).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/200000.mp4?rate=200000"), videos: videos))
        #expect(try await stage.sync("catalog.yaml", ["--only", "c/*/1"]).exit == 0)
        let user = try #require(
            FileManager.default.contentsOfDirectory(atPath: stage.state.appending("users").string).first)
        let log = stage.state.appending("users/\(user)/state.sqlite-wal").string
        let outcome = try await stage.traced(
            ["-P", log, "-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=3+"], ["--jobs", "2"])
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.summary?.errors?.isEmpty == false)
        let right = Set((1...4).map { TestContent(seed: UInt64($0), size: 200_000).sha256Text })
        #expect(Set(LibraryFiles(stage.library).digests.values).isSubset(of: right))
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(Set(LibraryFiles(stage.library).digests.values) == right)
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
