import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("Bytes are shared on proof only")
struct SamenessTests {
    /// A plugin whose URLs follow from the course: `{course}` in the parameter `url`.
    private func start(
        _ courses: [String], url: String, manifest: [String] = []
    ) async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.plugin(
            "lectures", manifest: manifest,
            script: #"""
                #!/bin/sh
                exec 2>>errors
                tee -a requests | jq -c --unbuffered '
                  {id, result: {url: (.params.course.id as $c | .params.video.parameters.url | gsub("\\{course\\}"; $c))}}'
                """#)
        let catalog = CatalogText(
            provider: "lectures", url: host.url(url),
            courses: courses.map { .init(id: $0, title: "Course \($0)", videos: [.init(id: "intro", title: "Intro")]) })
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    private func path(_ course: String) -> String { "Course \(course)/01 Intro.mp4" }

    private func inode(_ path: FilePath) -> UInt64? {
        (try? FileManager.default.attributesOfItem(atPath: path.string))?[.systemFileNumber] as? UInt64
    }

    @Test(
        "the same id in two courses gets its own bytes in each, also with equal ETag and size, in one run and in two",
        arguments: ["", "?etag=%22same%22"], [false, true])
    func ownBytes(query: String, inTwoRuns: Bool) async throws {
        var (stage, host, catalog) = try await start(["1", "2"], url: "/media/{course}/200000.mp4" + query)
        if inTwoRuns {
            let all = catalog.courses
            catalog.courses = [all[0]]
            try stage.catalog(catalog)
            #expect(try await stage.sync().exit == 0)
            catalog.courses = all
            try stage.catalog(catalog)
        }
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let digests = LibraryFiles(stage.library).digests
        for seed in [1, 2] {
            #expect(
                digests[path("\(seed)")] == TestContent(seed: UInt64(seed), size: 200_000).sha256Text,
                "\(outcome.report)")
        }
        #expect(try stage.strays() == [])
        let asked = host.requests().count
        let again = try await stage.sync()
        #expect(again.exit == 0 && host.requests().count == asked, "\(again.report)")
        await host.stop()
    }

    @Test("a strong ETag, the size and bytes of the middle prove a duplicate at another URL: it is linked")
    func duplicates() async throws {
        let (stage, host, _) = try await start(["1", "2"], url: "/media/7/2000000.mp4?etag=%22same%22&course={course}")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let digest = TestContent(seed: 7, size: 2_000_000).sha256Text
        #expect(LibraryFiles(stage.library).digests == [path("1"): digest, path("2"): digest], "\(outcome.report)")
        #expect(inode(stage.library.appending(path("1"))) == inode(stage.library.appending(path("2"))))
        #expect(host.requests().map { $0.fields["range"] } == [nil, "bytes=967232-1032767"])
        await host.stop()
    }

    @Test("a provider whose answers don't depend on the course is trusted: no request is sent")
    func ignoresCourse() async throws {
        let (stage, host, _) = try await start(
            ["1", "2"], url: "/media/7/200000.mp4", manifest: ["ignores_course: true"])
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).digests.count == 2)
        #expect(host.requests().count == 1)
        #expect(try stage.requests(of: "lectures").count == 1)
        await host.stop()
    }
}
