import Checkout
import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("naughty strings in a whole sync")
struct NaughtyTests {
    private static let corpus = Corpora.folder("names")

    @Test(
        "as ids and titles of courses, chapters and videos each leads to its own file, and is reported unchanged",
        .enabled(if: corpus != nil, "the corpora are not beside the checkout"))
    func throughASync() async throws {
        let data = try Data(contentsOf: URL(filePath: try #require(Self.corpus).appending("blns.json").string))
        let strings = try JSONDecoder().decode([String].self, from: data)
        var seen: Set<[UInt8]> = []
        // An empty id is an error, and so is one above 1 KiB; two equal ones can't be told apart.
        let names = strings.filter { !$0.isEmpty && $0.utf8.count <= 1024 && seen.insert(Array($0.utf8)).inserted }
        #expect(names.count >= 480)
        let host = try await FaultHost.start()
        let stage = try Stage()
        var course = CatalogText.Course(id: "c", title: names[0], videos: [])
        for (index, name) in names.enumerated() {
            course.videos.append(.init(id: name, title: name, extra: ["parameters: {seed: \(index)}"]))
        }
        var catalog = CatalogText(url: host.url("/media/{seed}/100.mp4"), courses: [course])
        for (index, name) in names.prefix(150).enumerated() {
            let video = CatalogText.Video(id: "v", extra: ["parameters: {seed: \(10_000 + index)}"])
            catalog.courses.append(
                .init(id: name == "c" ? "cc" : name, title: name, videos: [], chapters: [(name, name, [video])]))
        }
        try stage.catalog(catalog)
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "16"], limit: 120)
        #expect(outcome.exit == 0, "\(outcome.report)")
        let files = LibraryFiles(stage.library).digests
        let count = names.count + min(150, names.count)
        #expect(files.count == count)
        let events = outcome.events("download_finished")
        #expect(events.count == count)
        for (index, name) in names.enumerated() {
            let mine = events.filter { $0.course == "c" && $0.video.map { Array($0.utf8) } == Array(name.utf8) }
            #expect(mine.count == 1, "\(name.debugDescription)")
            let digest = TestContent(seed: UInt64(index), size: 100).sha256Text
            #expect(mine.first?.path.flatMap { files[$0] } == digest, "\(name.debugDescription)")
        }
        for path in files.keys {
            // A character may swallow the slash before it.
            #expect(path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { $0.count <= 255 && $0.first != 0x2E })
            #expect(!path.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        }
        // Nothing outside the library but what belongs there.
        let outside = Set(stage.folder.names().compactMap { $0.utf8.split(separator: UInt8(ascii: "/")).first })
        let others = Set(outside.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.hasPrefix("run-") })
        #expect(others == ["library", "state", "home", "catalog.yaml"])

        let requests = host.requests().count
        let again = try await stage.sync()
        #expect(again.exit == 0 && host.requests().count == requests, "\(again.report)")
        #expect(again.events.count == 2)
        let status = try await stage.run(["status", "--all", "--json"])
        #expect(status.exit == 0, "\(status.report)")
        #expect(status.output.split(separator: "\n").count == count)

        // All of them change places.
        catalog.courses[0].videos.reverse()
        try stage.catalog(catalog)
        let moved = try await stage.sync()
        #expect(moved.exit == 0 && host.requests().count == requests, "\(moved.report)")
        let turned = LibraryFiles(stage.library).digests
        #expect(turned.values.sorted() == files.values.sorted())
        #expect(moved.events("download_moved").count >= names.count - 1)
        for event in moved.events("download_moved") {
            #expect(event.path.flatMap { turned[$0] } == event.from.flatMap { files[$0] }, "\(event.text)")
        }
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
