import DownloadStore
import RunSchedule
import SyncFacts
import TestSupport
import Testing

@testable import CatalogComparison

@Suite("File paths by layout")
struct LayoutTests {
    private let world: CatalogWorld

    init() throws { world = try CatalogWorld() }

    private static let course = """
        - {id: a, title: Optics, videos: [{id: w, title: Welcome}], chapters: [
            {id: c, title: Rays, videos: [{id: u, title: Light, date: 2026-10-05}, {id: v, title: Lenses}]}]}
        """

    @Test("videos and chapters of a course are numbered together")
    func together() throws {
        let plan = try world.plan(Self.course)
        #expect(
            plan.wanted.map(\.stem) == ["Optics/01 Welcome", "Optics/02 Rays/01 Light", "Optics/02 Rays/02 Lenses"])
    }

    @Test(
        "another layout moves all files and fetches nothing; after that there is nothing to do",
        arguments: [
            (
                "plex",
                [
                    "Optics/Season 00/Optics - s00e01 - Welcome.mp4", "Optics/Season 01/Optics - s01e01 - Light.mp4",
                    "Optics/Season 01/Optics - s01e02 - Lenses.mp4",
                ]
            ),
            (
                "jellyfin",
                [
                    "Optics/Season 00/Optics S00E01 Welcome.mp4", "Optics/Season 01/Optics S01E01 Light.mp4",
                    "Optics/Season 01/Optics S01E02 Lenses.mp4",
                ]
            ),
            (
                "podcast", ["Optics/001 Welcome.mp4", "Optics/002 2026-10-05 Light.mp4", "Optics/003 Lenses.mp4"]
            ),
            (
                "{provider}/{course_id}/{year}/{chapter_id}/{id}< {quality}>.{ext}",
                ["direct/a/2026/c/u best.mp4", "direct/a/c/v best.mp4", "direct/a/w best.mp4"]
            ),
        ])
    func another(layout: String, expected: [String]) throws {
        try world.sync(Self.course)
        let plan = try world.sync(Self.course, layout: layout)
        #expect(plan.wanted.isEmpty && plan.moves.count == 3)
        #expect(world.files.sorted() == expected)
        let again = try world.plan(Self.course, layout: layout)
        #expect(again.changes.isEmpty && again.moves.isEmpty)
        // And back.
        try world.sync(Self.course)
        #expect(
            world.files == [
                "Optics/01 Welcome.mp4", "Optics/02 Rays/01 Light.mp4", "Optics/02 Rays/02 Lenses.mp4",
            ])
    }

    @Test("the layout of a course, then of its catalog, overrides the settings")
    func nearest() throws {
        let plan = try world.plan(
            """
            - {id: a, layout: podcast, videos: [x]}
            - {id: b, videos: [x]}
            """, layout: "{course}/{title}.{ext}")
        #expect(plan.wanted.map(\.stem) == ["a/001 x", "b/x"])
    }

    @Test("every field of a name is compared each time")
    func otherFields() throws {
        let layout = "{course}/{chapter} {title}< {date}>.{ext}"
        try world.sync(Self.course, layout: layout)
        #expect(world.files == ["Optics/Welcome.mp4", "Optics/Rays Light 2026-10-05.mp4", "Optics/Rays Lenses.mp4"])
        let changed = Self.course.replacing("Rays", with: "Beams").replacing("10-05", with: "11-06")
        try world.sync(changed, layout: layout)
        #expect(world.files == ["Optics/Welcome.mp4", "Optics/Beams Light 2026-11-06.mp4", "Optics/Beams Lenses.mp4"])
        #expect(try world.plan(changed, layout: layout).changes.isEmpty)
    }

    @Test(
        "strip_numbers leaves numbers of titles out of names, and moves files and chapters; false brings them back",
        arguments: ["plain", "jellyfin"])
    func strippedNumbers(layout: String) throws {
        let whole = """
            - {id: a, title: 1. Optics, videos: [{id: w, title: Welcome}], chapters: [
                {id: c, title: 'Week 4: Rays', videos: [{id: u, title: Lecture 7. Light}, {id: v, title: 7 - Light},
                {id: d, title: 3D}, {id: s, title: '(500) Days', strip_numbers: false}]}]}
            """
        let stripped = whole.replacing("1. Optics,", with: "1. Optics, strip_numbers: true,")
        try world.sync(whole, layout: layout)
        let before = world.files
        let plan = try world.sync(stripped, layout: layout)
        #expect(plan.wanted.isEmpty)
        if layout == "plain" {
            #expect(before.contains("1. Optics/02 Week 4_ Rays/02 7 - Light.mp4"), "\(before)")
            #expect(
                world.files == [
                    "1. Optics/01 Welcome.mp4", "1. Optics/02 Rays/01 Light.mp4", "1. Optics/02 Rays/02 Light.mp4",
                    "1. Optics/02 Rays/03 3D.mp4", "1. Optics/02 Rays/04 (500) Days.mp4",
                ])
        } else {
            #expect(plan.moves.count == 2, "\(plan.moves)")
        }
        let again = try world.plan(stripped, layout: layout)
        #expect(again.changes.isEmpty && again.moves.isEmpty)
        try world.sync(whole, layout: layout)
        #expect(world.files == before)
        #expect(try world.plan(whole, layout: layout).changes.isEmpty)
    }

    @Test("with one chapter's folder unchanged, too, a changed strip_numbers moves its videos, and equal names get ids")
    func strippedAlike() throws {
        let whole = """
            - {id: a, title: A, videos: [{id: x, title: 1. T}, {id: y, title: 2. T}, {id: z, title: '3. T [x]'}]}
            """
        let stripped = whole.replacing("title: A,", with: "title: A, strip_numbers: true,")
        try world.sync(whole)
        try world.sync(stripped)
        #expect(world.files == ["A/01 T.mp4", "A/02 T.mp4", "A/03 T [x].mp4"])
        try world.sync(stripped, layout: "{course}/{title}.{ext}")
        #expect(world.files.count == 3 && world.files.contains("A/T.mp4"), "\(world.files)")
        try world.sync(whole)
        #expect(world.files == ["A/01 1. T.mp4", "A/02 2. T.mp4", "A/03 3. T [x].mp4"])
    }

    @Test("a state older than recorded layouts gets today's numbers")
    func before() throws {
        try world.sync(Self.course, layout: "{course}/{season:02} {chapter}/{number:02} {title}.{ext}")
        #expect(world.files.contains("Optics/01 Rays/01 Light.mp4"))
        var changes = ReconcileChanges()
        changes.courses = try world.store.catalogs.courses().values.map {
            var course = $0
            course.layout = nil
            return course
        }
        try world.store.catalogs.apply(changes)
        try world.sync(Self.course)
        #expect(
            world.files == [
                "Optics/01 Welcome.mp4", "Optics/02 Rays/01 Light.mp4", "Optics/02 Rays/02 Lenses.mp4",
            ])
    }

    @Test("a run with a selection doesn't count as having named the other files")
    func selection() throws {
        try world.sync(Self.course)
        try world.sync(Self.course, only: ["a/*/w"], layout: "podcast")
        #expect(world.files.contains("Optics/001 Welcome.mp4") && world.files.contains("Optics/02 Rays/01 Light.mp4"))
        try world.sync(Self.course, layout: "podcast")
        #expect(world.files == ["Optics/001 Welcome.mp4", "Optics/002 2026-10-05 Light.mp4", "Optics/003 Lenses.mp4"])
    }

    @Test("equal names are distinguished by ids; the id is removed when nobody else uses the plain name any more")
    func distinct() throws {
        let layout = "{course}/{title}.{ext}"
        let both = "- {id: a, title: A, videos: [{id: x, title: T}, {id: y, title: T}, {id: z, title: 'T [2]'}]}"
        try world.sync(both, layout: layout)
        #expect(world.files == ["A/T.mp4", "A/T [y].mp4", "A/T [2].mp4"])
        #expect(try world.plan(both, layout: layout).changes.isEmpty)
        // The file of what is gone stays, and with it its name.
        let one = "- {id: a, title: A, videos: [{id: y, title: T}, {id: z, title: 'T [2]'}]}"
        try world.sync(one, layout: layout)
        #expect(world.files == ["A/T.mp4", "A/T [y].mp4", "A/T [2].mp4"])
        var gone: [DownloadID] = []
        try world.store.downloads.each { if $0.key.video == "x" { gone.append($0.id) } }
        try world.store.downloads.delete(gone)
        world.files.remove("A/T.mp4")
        try world.sync(one, layout: layout)
        #expect(world.files == ["A/T.mp4", "A/T [2].mp4"])
        #expect(try world.plan(one, layout: layout).changes.isEmpty)
    }

    @Test("a course or chapter whose namesake is forgotten gets its plain name, and all its files move")
    func folders() throws {
        try world.sync("- {id: a, title: A, videos: [v]}\n- {id: b, title: A, videos: [v]}")
        #expect(world.files == ["A/01 v.mp4", "A [b]/01 v.mp4"])
        try world.store.catalogs.deleteCourse("a")
        var gone: [DownloadID] = []
        try world.store.downloads.each { if $0.key.course == "a" { gone.append($0.id) } }
        try world.store.downloads.delete(gone)
        world.files.remove("A/01 v.mp4")
        try world.sync("- {id: b, title: A, videos: [v]}")
        #expect(world.files == ["A/01 v.mp4"])
    }

    @Test("a file that gave way to somebody else's gets its plain name when that file is gone")
    func displaced() throws {
        let course = "- {id: a, title: A, videos: [{id: x, title: T}]}"
        try world.sync(course)
        var record: DownloadRecord?
        try world.store.downloads.each { record = $0 }
        let download = try #require(record)
        var file = try #require(download.file)
        file.path = "A/01 T [x].mp4"
        try world.store.write([.recorded(download.id, file)])
        world.files = ["A/01 T [x].mp4", "A/01 T.mp4"]
        #expect(try world.plan(course).changes.isEmpty, "somebody else's file stands there")
        world.files.remove("A/01 T.mp4")
        try world.sync(course)
        #expect(world.files == ["A/01 T.mp4"])
        #expect(try world.plan(course).changes.isEmpty)
    }
}
