import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import RunSchedule
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import CatalogComparison

@Suite("Comparison with several changes at once")
struct ReconcilerCornerTests {
    private let world: CatalogWorld

    init() throws { world = try CatalogWorld() }

    @Test("files beside a video that is renamed in the same edit are stored under the new name")
    func extrasOfARenamed() throws {
        try world.sync("- {id: a, videos: [{id: x, title: Old}]}")
        let plan = try world.plan("- {id: a, videos: [{id: x, title: New, cover: http://h/c.jpg}]}")
        #expect(plan.sidecarGroups.map(\.wanted.stem) == ["a/01 New"])
    }

    @Test("sidecars of an unfinished video follow its name, including their language")
    func sidecarsOfAnUnfinished() throws {
        let plan = try world.plan("- {id: a, videos: [{id: x, title: Old}]}")
        try world.store.catalogs.apply(plan.changes)
        let id = plan.wanted[0].id
        world.files.insert("a/01 Old.en.vtt")
        try world.store.write([
            .sidecar(
                .stored(
                    SidecarRecord(
                        download: id, kind: .subtitle, name: "en", path: "a/01 Old.en.vtt", size: 1, modified: 1)))
        ])
        let next = try world.plan("- {id: a, videos: [{id: x, title: New}]}")
        #expect(next.moves.map(\.to) == ["a/01 New.en.vtt"])
        #expect(
            Reconciler.following("a/01 Old [x].en.vtt", from: "a/01 Other", to: "a/01 New", extensions: 2)
                == "a/01 New.en.vtt")
    }

    @Test(
        "a finished video asks for missing sidecars once they are due; those of its catalog follow the catalog"
    )
    func openSidecars() throws {
        let course = """
              - id: a
                videos:
                  - {id: x, title: X}
                  - {id: y, title: Y, attachments: [{title: Slides, url: "http://h/s.pdf"}]}
                  - {id: z, title: Z}
            """
        try world.sync(course)
        var ids: [String: DownloadID] = [:]
        try world.store.downloads.each { ids[$0.key.video] = $0.id }
        let (x, y, z) = (try #require(ids["x"]), try #require(ids["y"]), try #require(ids["z"]))
        let english = SidecarName(.subtitle, "en")
        let error = DownloadError(kind: .httpStatus, message: "no", status: 503)
        let now = Date()
        try world.store.write([
            .sidecar(.named(x, [english])), .sidecar(.named(y, [SidecarName(.attachment, "Slides")])),
            .sidecar(.named(z, [english])), .sidecar(.waits(z, english, retryAt: now + 60, error)),
        ])
        let plan = try world.plan(course, now: now)
        #expect(plan.asked.map(\.id) == [x] && plan.wanted.isEmpty && !plan.isIdle)
        #expect(plan.counts == [.finished: 3])
        #expect(try world.plan(course, now: now + 61).asked.map(\.id) == [x, z])
        #expect(try world.plan(course, only: ["a/*/y"], now: now + 61).asked.isEmpty)
        let moved = try world.plan(course.replacingOccurrences(of: "title: X", with: "title: New"), now: now)
        #expect(moved.asked.map(\.stem) == ["a/01 New"])
    }

    @Test("files of a renamed course that a selector left out move with the next whole sync")
    func selectedRename() throws {
        try world.sync("- {id: a, title: Old, videos: [x, y]}")
        let renamed = "- {id: a, title: New, videos: [x, y]}"
        let part = try world.plan(renamed, only: ["a/*/x"])
        #expect(part.moves.map(\.from) == ["Old/01 x.mp4"])
        var changes = part.changes
        changes.moves = try part.recordedMoves()
        try world.store.catalogs.apply(changes)
        try world.store.moves.finish(changes.moves.map { ($0, $0.to) })
        world.files = ["New/01 x.mp4", "Old/02 y.mp4"]
        #expect(try world.plan(renamed).moves.map(\.from) == ["Old/02 y.mp4"])
    }

    @Test("videos of a course that its provider lists are never gone")
    func discovered() throws {
        try world.sync("- {id: a, videos: [x, y]}")
        #expect(try world.plan("- {id: a, discover: true, videos: [x]}").gone.isEmpty)
    }

    @Test("a forgotten course can be taken over by another file, or pruned")
    func forgotten() throws {
        try world.sync("- {id: a, videos: [x]}", file: "one.yaml")
        let path = world.folder.at("one.yaml").string
        #expect(try world.store.catalogs.forget(file: path) == 1)
        #expect(try world.plan("- {id: a, videos: [x]}", file: "two.yaml").errors.isEmpty)
        #expect(try world.plan("- {id: b, videos: [z]}", file: "two.yaml").gone.map(\.reference.video) == ["x"])
    }

    @Test("a donor is looked for at its path after the moves of the same run")
    func movedDonor() throws {
        try world.sync("- {id: a, title: Old, videos: [x]}")
        let plan = try world.plan("- {id: a, title: New, videos: [x]}\n- {id: b, videos: [x]}")
        #expect(plan.wanted.map(\.donor?.file.path) == ["New/01 x.mp4"])
    }

    @Test("a partial of another source is forgotten: only a checksum in the catalog can reuse its bytes")
    func otherSource() throws {
        let plan = try world.plan("- {id: a, videos: [x, {id: y, sha256: '\(Self.sha256)'}]}")
        try world.store.catalogs.apply(plan.changes)
        let facts = ProgressFacts(
            bytes: 9, total: 9, validators: Validators(etag: "\"e\"", lastModified: nil), mediaType: "video/webm")
        for wanted in plan.wanted { try world.store.write([.progress(wanted.id, facts)]) }
        let next = try world.plan("- {id: a, quality: 480p, videos: [x, {id: y, sha256: '\(Self.sha256)'}]}")
        let resumes = next.wanted.compactMap(\.resume)
        #expect(resumes.map(\.durableBytes) == [0, 9])
        #expect(resumes.allSatisfy { $0.total == nil && $0.validators == Validators() && $0.mediaType == nil })
        try world.store.catalogs.apply(next.changes)
        for (wanted, bytes) in zip(plan.wanted, [0, 9] as [Int64]) {
            let record = try #require(try world.store.downloads.record(wanted.id))
            #expect(record.durableBytes == bytes && record.totalBytes == nil && record.validators == Validators())
            #expect(record.mediaType == nil)
        }
    }

    @Test("another sound is another source; a catalog without a setting for sound keeps its digests")
    func sound() throws {
        try world.sync("- {id: a, audio: [de], videos: [x]}")
        let plan = try world.plan("- {id: a, audio: [de], videos: [x]}\n- {id: b, audio: [en], videos: [x]}")
        #expect(plan.fromOtherSource == 0 && plan.wanted.map(\.donor) == [nil])
        let silent = try world.plan("- {id: c, videos: [x]}").changes.new.map(\.fields.source)
        #expect(silent.first?.hex == Self.silentSource)
    }

    @Test(
        "another spelling of ids is the same course, chapter and video, whatever the titles, and its provider is asked again"
    )
    func spellings() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let courses = { (id: String, title: String) in
            "- {id: \(id), title: \(title), chapters: [{id: \(id), title: \(title), videos: [{id: \(id), title: \(title)}]}]}"
        }
        try world.sync(courses(composed, "One"))
        for title in ["One", "Two"] {
            let plan = try world.plan(courses(decomposed, title))
            #expect(plan.changes.new.isEmpty && plan.changes.gone.isEmpty && plan.wanted.isEmpty)
            #expect(plan.fromOtherSource == 1, "the provider is asked for what is written")
        }
        try world.sync(courses(decomposed, "Two"))
        #expect(try world.store.catalogs.chapters().count == 1)
        #expect(try world.store.catalogs.courses().count == 1)
        #expect(world.files == ["Two/01 Two/01 Two.mp4"])
        let selected = try world.plan(courses(decomposed, "Two"), only: ["\(decomposed)/\(composed)/\(decomposed)"])
        #expect(selected.selectorMatched == [true])
    }

    private static let sha256 = String(repeating: "5a", count: 32)
    /// As version 3 of the state had it.
    private static let silentSource = "9f67e7583afe2816fcbdfda9c2c3d557"
}
