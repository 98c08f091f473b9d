import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
import RunSchedule
import SyncFacts
import Testing

@testable import CatalogComparison

@Suite("Comparing some courses first, and others later")
struct ComparedCoursesTests {
    /// What the state and the library have, in words.
    private func contents(_ world: CatalogWorld) throws -> [String] {
        var lines = world.files.sorted()
        try world.store.downloads.each { row in
            lines.append(
                "\(row.key.course)/\(row.key.video) \(row.state) \(row.isGone) \(row.catalog.stem) "
                    + "\(row.catalog.title) \(row.catalog.position) \(row.file?.path ?? "-")")
        }
        lines += try world.store.catalogs.courses().values.map { "\($0.id) \($0.title) \($0.folder) \($0.ordinal)" }
        lines += try world.store.catalogs.chapters().map { "\($0.course) \($0.id) \($0.title) \($0.folder)" }
        return lines.sorted()
    }

    private static func name(_ video: VideoReference) -> String { "\(video.course)/\(video.video)" }

    /// A night: in one step, or the course `b` after the others.
    @discardableResult
    private func night(_ world: CatalogWorld, _ courses: String, inSteps: Bool) throws -> [Reconciliation] {
        guard inSteps else { return [try world.sync(courses)] }
        return try [ComparedCourses.without(["b"]), .only(["b"])].map { compared in
            let plan = try world.sync(courses, compared: compared)
            try expectNothingShared(world)
            return plan
        }
    }

    private func expectNothingShared(_ world: CatalogWorld) throws {
        var stems: [String] = []
        try world.store.downloads.each { stems.append($0.catalog.stem.lowercased()) }
        #expect(Set(stems).count == stems.count, "\(stems)")
        let folders = try world.store.catalogs.courses().values.map { $0.folder.lowercased() }
        #expect(Set(folders).count == folders.count, "\(folders)")
    }

    private static let two =
        "- {id: a, title: Optics, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}\n"
        + "- {id: b, title: Waves, videos: [{id: x, title: Sound}, {id: z, title: Water}]}"

    @Test("a video of a course that is compared later follows the same one of an earlier course")
    func follows() throws {
        let world = try CatalogWorld()
        let courses = "- {id: a, videos: [x, y]}\n- {id: b, videos: [x, z]}\n- {id: c, videos: [x, z]}"
        let first = try world.plan(courses, compared: .only(["a"]))
        try world.store.catalogs.apply(first.changes)
        var later = try world.plan(courses, compared: .without(["a"]))
        func leaders() -> [String] {
            let all = Dictionary(uniqueKeysWithValues: (first.wanted + later.wanted).map { ($0.id, $0.reference) })
            return later.wanted.map { wanted in
                Self.name(wanted.reference) + " "
                    + (later.followers.leader(of: wanted.id).flatMap { all[$0] }.map(Self.name) ?? "-")
            }
        }
        #expect(leaders() == ["b/x -", "b/z -", "c/x b/x", "c/z b/z"])
        later.follow(first)
        #expect(leaders() == ["b/x a/x", "b/z -", "c/x a/x", "c/z b/z"])
    }

    @Test("a course outside the comparison is neither wanted, moved, lost, gone nor held, whatever has happened to it")
    func outside() throws {
        let world = try CatalogWorld()
        try world.sync(Self.two)
        world.files = ["Optics/01 Light.mp4", "Optics/02 Lenses.mp4"]
        let changed =
            "- {id: a, title: Optics, videos: [{id: x, title: Light}, {id: n, title: New}]}\n"
            + "- {id: b, title: Other, videos: [{id: z, title: Air}, {id: x, title: Sound}, {id: m, title: More}]}"
        for compared in [ComparedCourses.without(["b"]), .only(["a"])] {
            let plan = try world.plan(changed, compared: compared)
            #expect(plan.wanted.map { Self.name($0.reference) } == ["a/n"])
            #expect(plan.gone.map { Self.name($0.reference) } == ["a/y"])
            #expect(plan.moves.isEmpty && plan.lost.isEmpty && plan.held.isEmpty)
            #expect(plan.changes.courses.isEmpty && plan.changes.new.count == 1 && plan.changes.updated.isEmpty)
            #expect(plan.counts == [.finished: 1, .waiting: 1])
            #expect(plan.valuedInJudged == 2)
        }
        let later = try world.plan(changed, compared: .only(["b"]))
        #expect(later.held.map(\.course) == ["b"] && later.gone.isEmpty && later.wanted.isEmpty)
    }

    @Test("a resumed download joins the run only if its course has been compared, isn't held, and has its source")
    func revivedDownloads() throws {
        let world = try CatalogWorld()
        let courses = Self.two + "\n- {id: c, title: Heat, videos: [{id: h, title: Heat}, {id: i, title: Ice}]}"
        try world.sync(courses)
        world.files = world.files.filter { !$0.hasPrefix("Heat/") }
        var records: [String: DownloadRecord] = [:]
        try world.store.downloads.each { records["\($0.key.course)/\($0.key.video)"] = $0 }
        let first = try world.plan(courses, compared: .without(["b"]))
        #expect(first.held.map(\.course) == ["c"])
        func wanted(_ plan: Reconciliation) -> [String] {
            records.filter { plan.revivedDownloads?.wanted($0.value) != nil }.keys.sorted()
        }
        #expect(wanted(first) == ["a/x", "a/y"])
        var later = try world.plan(courses, compared: .only(["b"]))
        #expect(wanted(later) == ["b/x", "b/z"])
        later.follow(first)
        #expect(wanted(later) == ["a/x", "a/y", "b/x", "b/z"])
        records["a/x"]?.catalog.source = [9]
        records["a/y"]?.catalog.provider = "other"
        #expect(wanted(later) == ["b/x", "b/z"])
    }

    @Test("a course with files that couldn't be put in their places is held, and told")
    func unsettled() throws {
        let world = try CatalogWorld()
        try world.sync(Self.two)
        let error = LibraryError.notAFolder(path: "Waves")
        let plan = try world.plan(Self.two + "\n- {id: c, videos: [h]}", unsettled: ["b": error])
        #expect(plan.held.map(\.course) == ["b"] && plan.held.map(\.reason) == [.unsettled(error.sentence)])
        #expect(plan.wanted.map { Self.name($0.reference) } == ["c/h"])
    }

    @Test("a missing disk is noticed for all courses of the run, though each of them is compared by itself")
    func missingDisk() throws {
        let world = try CatalogWorld()
        let courses = (1...4).map { "- {id: c\($0), title: C\($0), videos: [x]}" }.joined(separator: "\n")
        try world.sync(courses)
        world.files = []
        let first = try world.plan(courses, compared: .without(["c2", "c3", "c4"]))
        #expect(first.held.map(\.course) == ["c1"] && first.lost.isEmpty)
        // What was on the disk when the run began counts, whatever has arrived meanwhile.
        world.files = ["C1/01 x.mp4"]
        for course in ["c2", "c3", "c4"] {
            let later = try world.plan(courses, compared: .only([course]), tallies: first.tallies)
            #expect(later.held.map(\.course) == [course] && later.lost.isEmpty && later.wanted.isEmpty)
        }
    }

    @Test("a course that is in no catalog any more is gone in the first comparison, and in no later one")
    func unlisted() throws {
        let world = try CatalogWorld()
        try world.sync(Self.two + "\n- {id: c, title: Heat, videos: [h]}")
        let first = try world.sync(Self.two, compared: .without(["b"]))
        #expect(first.gone.map { Self.name($0.reference) } == ["c/h"])
        #expect(first.unlisted.courses.map(\.id) == ["c"])
        let second = try world.sync(Self.two, compared: .only(["b"]))
        #expect(second.gone.isEmpty && second.unlisted.courses.isEmpty)
    }

    @Test(
        "two comparisons lead to the same state and files as one",
        arguments: [
            // A course is new, or both are.
            ("- {id: a, title: Optics, videos: [x]}", two),
            ("- {id: b, title: Waves, videos: [x]}", two),
            // Videos are new, gone, renamed and renumbered in both.
            (
                two,
                "- {id: a, title: Optics, videos: [{id: y, title: Lenses}, {id: x, title: Lamps}, n]}\n"
                    + "- {id: b, title: Waves, videos: [m, {id: z, title: Air}]}"
            ),
            // A course has another title, or the other's former one.
            (two, two.replacing("Optics", with: "Light")), (two, two.replacing("Waves", with: "Sound")),
            (two, two.replacing("Optics", with: "Heat").replacing("Waves", with: "Optics")),
            // Both have one title, of the earlier or of the later course, written or as the file system sees it.
            (two, two.replacing("Waves", with: "Optics")), (two, two.replacing("Optics", with: "waves")),
            // They change places.
            (two, two.split(separator: "\n").reversed().joined(separator: "\n")),
            // Videos move between chapters.
            (
                "- {id: b, chapters: [{id: c, title: C, videos: [x]}, {id: d, title: D, videos: [y]}]}\n- {id: a, videos: [x]}",
                "- {id: b, chapters: [{id: d, title: D, videos: [y, x]}, {id: c, title: E}]}\n- {id: a, videos: [x]}"
            ),
        ])
    func same(before: String, after: String) throws {
        let (once, steps) = (try CatalogWorld(), try CatalogWorld())
        for (world, inSteps) in [(once, false), (steps, true)] {
            try world.sync(before)
            try night(world, after, inSteps: inSteps)
        }
        #expect(try contents(once) == contents(steps))
        let again = try steps.plan(after)
        #expect(again.changes.isEmpty && again.wanted.isEmpty && again.moves.isEmpty)
    }

    @Test(
        "courses of one title get their own folders, in whatever order they are compared, and keep them",
        arguments: [
            "- {id: a, title: Optics, videos: [x]}\n- {id: b, title: Optics, videos: [x]}",
            "- {id: b, title: Optics, videos: [x]}\n- {id: a, title: Optics, videos: [x]}",
            "- {id: b, title: OPTICS, videos: [x]}\n- {id: a, title: Optics, videos: [x]}",
        ])
    func oneTitle(courses: String) throws {
        let world = try CatalogWorld()
        try night(world, courses, inSteps: true)
        let once = try CatalogWorld()
        try night(once, courses, inSteps: false)
        #expect(try contents(world) == contents(once))
        let kept = try contents(world)
        for inSteps in [true, false] {
            let plans = try night(world, courses, inSteps: inSteps)
            #expect(plans.allSatisfy { $0.moves.isEmpty && $0.wanted.isEmpty })
        }
        #expect(try contents(world) == kept)
    }

    @Test(
        "a title that a listing brings collides with a course that is compared already: its own folder, and it keeps it"
    )
    func titleOfListing() throws {
        let world = try CatalogWorld()
        let known = "- {id: b, title: Optics, videos: [x]}\n- {id: a, title: Optics, videos: [x]}"
        try world.sync("- {id: b, discover: true}\n- {id: a, title: Optics, videos: [x]}", compared: .without(["b"]))
        try world.sync(known, compared: .only(["b"]))
        try expectNothingShared(world)
        #expect(world.files == ["Optics/01 x.mp4", "Optics [b]/01 x.mp4"])
        #expect(try night(world, known, inSteps: true).allSatisfy { $0.moves.isEmpty && $0.wanted.isEmpty })
    }

    @Test("courses that swap their titles never have one folder, and the next night the names are right")
    func swap() throws {
        let world = try CatalogWorld()
        try world.sync(Self.two)
        let swapped = Self.two.replacing("Optics", with: "-").replacing("Waves", with: "Optics")
            .replacing("title: -", with: "title: Waves")
        try night(world, swapped, inSteps: true)
        try night(world, swapped, inSteps: true)
        #expect(
            world.files == [
                "Waves/01 Light.mp4", "Waves/02 Lenses.mp4", "Optics/01 Sound.mp4", "Optics/02 Water.mp4",
            ])
        // The provider of the second course can't be asked meanwhile: nothing of it moves, and it isn't in the way.
        let other = try CatalogWorld()
        try other.sync(Self.two)
        try other.sync(swapped, compared: .without(["b"]))
        try expectNothingShared(other)
        #expect(other.files.contains("Waves/01 Sound.mp4"))
    }

    @Test("a video in a course compared later is linked to the file of the one before, if their source is the same")
    func donors() throws {
        let world = try CatalogWorld()
        let courses = "- {id: a, videos: [x]}\n- {id: b, videos: [x]}"
        #expect(try world.sync(courses, compared: .without(["b"])).followers.isEmpty)
        let later = try world.plan(courses, compared: .only(["b"]))
        #expect(later.wanted.map(\.donor?.file.path) == ["a/01 x.mp4"])
    }
}
