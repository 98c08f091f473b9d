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
import YAMLSource

@testable import CatalogComparison

@Suite("Comparing catalogs, state and library")
struct ReconcilerTests {
    private let world: CatalogWorld

    init() throws { world = try CatalogWorld() }

    private static let two = "- {id: a, title: Optics, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}"

    @Test("everything new is wanted in catalog order, under its names")
    func new() throws {
        let plan = try world.plan(Self.two)
        #expect(plan.wanted.map(\.stem) == ["Optics/01 Light", "Optics/02 Lenses"])
        #expect(plan.wanted.map(\.reference.video) == ["x", "y"])
        #expect(plan.counts == [.waiting: 2])
    }

    @Test("without changes there is nothing to write and nothing to do")
    func unchanged() throws {
        try world.sync(Self.two)
        let plan = try world.plan(Self.two)
        #expect(plan.changes.isEmpty)
        #expect(plan.wanted.isEmpty)
        #expect(plan.counts == [.finished: 2])
    }

    @Test("another title moves the file, and nothing is fetched")
    func renamed() throws {
        try world.sync(Self.two)
        let plan = try world.plan(
            "- {id: a, title: Optics, videos: [{id: x, title: Light and dark}, {id: y, title: Lenses}]}")
        #expect(plan.wanted.isEmpty)
        #expect(plan.moves.map(\.from) == ["Optics/01 Light.mp4"])
        #expect(plan.moves.map(\.to) == ["Optics/01 Light and dark.mp4"])
    }

    @Test("swapped videos swap their files")
    func swapped() throws {
        try world.sync(Self.two)
        try world.sync("- {id: a, title: Optics, videos: [{id: y, title: Lenses}, {id: x, title: Light}]}")
        #expect(world.files == ["Optics/01 Lenses.mp4", "Optics/02 Light.mp4"])
        #expect(
            try world.plan("- {id: a, title: Optics, videos: [{id: y, title: Lenses}, {id: x, title: Light}]}")
                .changes.isEmpty)
    }

    @Test("a course with another title moves as a whole")
    func courseRenamed() throws {
        try world.sync(Self.two)
        try world.sync("- {id: a, title: Waves, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}")
        #expect(world.files == ["Waves/01 Light.mp4", "Waves/02 Lenses.mp4"])
    }

    @Test("a video that goes to another chapter moves there")
    func otherChapter() throws {
        try world.sync("- {id: a, chapters: [{id: c, title: C, videos: [x]}, {id: d, title: D, videos: [y]}]}")
        try world.sync("- {id: a, chapters: [{id: c, title: C}, {id: d, title: D, videos: [y, x]}]}")
        #expect(world.files == ["a/02 D/01 y.mp4", "a/02 D/02 x.mp4"])
    }

    @Test("videos that are no longer listed are gone, but only in courses that were read")
    func gone() throws {
        try world.sync(Self.two)
        let plan = try world.plan("- {id: a, title: Optics, videos: [{id: x, title: Light}]}")
        #expect(plan.gone.map(\.reference.video) == ["y"])
        #expect(plan.changes.gone.count == 1)
        let other = try world.plan("- {id: b, videos: [z]}", file: "other.yaml")
        #expect(other.gone.isEmpty)
    }

    @Test("a video that returns after it was gone is finished as before")
    func back() throws {
        try world.sync(Self.two)
        try world.sync("- {id: a, title: Optics, videos: [{id: x, title: Light}]}")
        let plan = try world.sync(Self.two)
        #expect(plan.wanted.isEmpty)
        #expect(plan.counts == [.finished: 2])
        #expect(try world.plan(Self.two).changes.isEmpty)
    }

    @Test("a course that lost many files at once is held: none of it is wanted, moved or gone; other courses go on")
    func massLoss() throws {
        let other = "- {id: b, title: Waves, videos: [{id: z, title: Sound}]}"
        try world.sync(Self.two + "\n" + other)
        world.files = ["Waves/01 Sound.mp4"]
        // One is new, one has another title, one is no longer written.
        let changed =
            "- {id: a, title: Optics, videos: [{id: new, title: New}, {id: x, title: Other}]}\n"
            + "- {id: b, title: Waves, videos: [{id: z, title: Sound}, {id: w, title: Water}]}"
        let plan = try world.plan(changed)
        let reason = HeldCourse.Reason.filesMissing(count: 1, finished: 1, example: "")
        #expect(plan.held.isEmpty, "one of one: \(reason)")
        let held = try world.plan(
            Self.two.replacing("Lenses}]}", with: "Lenses}, {id: n, title: New}]}") + "\n"
                + "- {id: b, title: Waves, videos: [{id: z, title: Sound}, {id: w, title: Water}]}")
        #expect(
            held.held == [
                HeldCourse(
                    course: "a", title: "Optics",
                    reason: .filesMissing(count: 2, finished: 2, example: "Optics/01 Light.mp4"))
            ])
        #expect(held.wanted.map(\.reference.video) == ["w"])
        #expect(held.lost.isEmpty && held.changes.lost.isEmpty && held.moves.isEmpty && held.changes.gone.isEmpty)
        #expect(held.counts == [.finished: 3, .waiting: 1])
        // The person says so.
        let anew = try world.plan(Self.two + "\n" + other, lossGuard: nil)
        #expect(anew.held.isEmpty && anew.wanted.map(\.reference.video) == ["x", "y"])
        // The disk is back.
        world.files = ["Optics/01 Light.mp4", "Optics/02 Lenses.mp4", "Waves/01 Sound.mp4"]
        #expect(try world.plan(Self.two + "\n" + other).changes.isEmpty)
    }

    @Test(
        "the limit of missing files: always one, else a tenth; emptied courses count together",
        arguments: [
            ([(1, 1)], []), ([(2, 1)], []), ([(2, 2)], [0]), ([(20, 2)], []), ([(20, 3)], [0]),
            ([(1, 1), (1, 1)], [0, 1]), ([(1, 1), (1, 1), (98, 0)], []), ([(3, 3), (1, 1)], [0, 1]),
            ([(3, 3), (1, 0)], [0]), ([(0, 0)], []),
        ] as [([(Int, Int)], [Int])])
    func lossGuard(_ courses: [(Int, Int)], _ held: [Int]) {
        let tallies = courses.map { LossGuard.Tally(finished: $0.0, lost: $0.1) }
        #expect(LossGuard().held(tallies) == held)
    }

    @Test("a course whose folder can't be read isn't touched; the others go on")
    func unreadableFolder() throws {
        let other = "- {id: b, title: Waves, videos: [{id: z, title: Sound}]}"
        try world.sync(Self.two + "\n" + other)
        world.unreadable = ["Optics"]
        world.files.remove("Waves/01 Sound.mp4")
        let plan = try world.plan(Self.two + "\n" + other)
        #expect(plan.held.map(\.course) == ["a"])
        #expect(plan.held.first?.reason == .unreadable("can't list Optics: \(Errno.permissionDenied)"))
        #expect(plan.wanted.map(\.reference.video) == ["z"] && plan.lost.map(\.video) == ["z"])
        #expect(plan.counts == [.finished: 2, .waiting: 1])
    }

    @Test("a missing file is wanted again, with the reason")
    func lost() throws {
        try world.sync(Self.two)
        world.files.remove("Optics/01 Light.mp4")
        let plan = try world.plan(Self.two)
        #expect(plan.lost.map(\.video) == ["x"])
        #expect(plan.wanted.map(\.reference.video) == ["x"])
    }

    @Test("another source of a finished file is counted, not fetched")
    func otherSource() throws {
        try world.sync(Self.two)
        let plan = try world.plan(
            "- {id: a, title: Optics, quality: 480p, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}")
        #expect(plan.wanted.isEmpty)
        #expect(plan.fromOtherSource == 2)
    }

    @Test("a size or checksum that contradicts the file causes a new download; the old file stays until then")
    func contradicts() throws {
        try world.sync(Self.two)
        let plan = try world.plan(
            "- {id: a, title: Optics, videos: [{id: x, title: Light, size: 10}, {id: y, title: Lenses, size: 9}]}")
        #expect(plan.refetched.map(\.video) == ["x"])
        #expect(plan.wanted.map(\.oldFile?.path) == ["Optics/01 Light.mp4"])
    }

    @Test(
        "equal names are distinguished by the id of the later one, and a recorded name never changes because of another"
    )
    func collisions() throws {
        try world.sync("- {id: a, chapters: [{id: c, title: X, videos: [u]}]}\n- {id: b, title: A, videos: [v]}")
        #expect(world.files == ["a/01 X/01 u.mp4", "A [b]/01 v.mp4"])
        // Others that come later, and before them in the catalog, have to give way; whoever has a name keeps it.
        let old = "- {id: a, chapters: [{id: c, title: X, videos: [u]}]}\n- {id: b, title: A, videos: [v]}"
        let new = "- {id: z, title: A, videos: [w]}\n- {id: y, title: a, videos: [w2]}\n"
        try world.sync(new + old)
        let all: Set = ["a/01 X/01 u.mp4", "A [b]/01 v.mp4", "A [z]/01 w.mp4", "a [y]/01 w2.mp4"]
        #expect(world.files == all)
        try world.sync(old + "\n" + new)
        #expect(world.files == all)
        // Not even when the one that it once gave way to is gone.
        try world.sync("- {id: b, title: A, videos: [v]}\n" + new)
        #expect(world.files.isSuperset(of: all.subtracting(["a/01 X/01 u.mp4"])))
    }

    @Test("the same video of the same source in two courses is transferred once")
    func followers() throws {
        let plan = try world.plan("- {id: a, videos: [x]}\n- {id: b, videos: [x]}")
        #expect(plan.wanted.count == 2)
        #expect(!plan.followers.isFollower(plan.wanted[0].id))
        #expect(plan.followers.isFollower(plan.wanted[1].id))
    }

    @Test("the same id of another source is another video")
    func sameID() throws {
        let plan = try world.plan("- {id: a, videos: [x]}\n- {id: b, quality: 480p, videos: [x]}")
        #expect(!plan.followers.isFollower(plan.wanted[1].id))
        #expect(plan.wanted.allSatisfy { $0.donor == nil })
    }

    @Test("a course that changes its id fetches nothing: its old files are donors")
    func donors() throws {
        try world.sync("- {id: a, title: Optics, videos: [x]}")
        let plan = try world.plan("- {id: a2, title: Optics, videos: [x]}")
        #expect(plan.wanted.map(\.donor?.file.path) == ["Optics/01 x.mp4"])
    }

    @Test("a file at a video's place may be that video, but not if another row has it")
    func standing() throws {
        let sha256 = String(repeating: "ab", count: 32)
        world.standing = ["a/01 x": ("a/01 x.mp4", 7)]
        let courses = "- {id: a, videos: [{id: x, sha256: \"\(sha256)\"}]}"
        let free = try #require(try world.plan(courses).wanted.first?.donor)
        #expect(free.isInPlace && free.file.path == "a/01 x.mp4" && free.file.size == 7)
        // As a move that failed leaves it.
        try world.sync("- {id: b, videos: [y]}")
        let row = DownloadID(rawValue: 1)
        let file = StoredFile(path: "a/01 x.mp4", size: 7, modified: 1, sha256: nil, source: [1])
        try world.store.write([.lose(row), .begin(row), .placing(row, file), .finish(row)])
        world.files.insert(file.path)
        #expect(try world.plan(courses).wanted.map(\.donor) == [nil])
        #expect(try world.store.downloads.hasOwner(of: file.path, besides: DownloadID(rawValue: 2)))
        #expect(try !world.store.downloads.hasOwner(of: file.path, besides: row))
    }

    @Test(
        "a course of another file that still exists is an error with both places; if that file is gone, the course moves over"
    )
    func ownership() throws {
        try world.sync("- {id: a, videos: [x]}", file: "one.yaml")
        let plan = try world.plan("- {id: a, videos: [x]}", file: "two.yaml")
        guard case .courseTaken("a", let owner, let place)? = plan.errors.first else {
            Issue.record("\(plan.errors)")
            return
        }
        #expect(plan.errors.count == 1 && owner.hasSuffix("one.yaml") && place.line == 4)
        try FileManager.default.removeItem(atPath: world.folder.at("one.yaml").string)
        let moved = try world.plan("- {id: a, videos: [x]}", file: "two.yaml")
        #expect(moved.errors.isEmpty)
        #expect(moved.notices.count == 1)
        #expect(moved.wanted.isEmpty)
    }

    @Test("a selector limits what is wanted and what is compared")
    func only() throws {
        try world.sync(Self.two)
        let plan = try world.plan("- {id: a, title: Optics, videos: [{id: z}]}", only: ["a/*/z"])
        #expect(plan.wanted.map(\.reference.video) == ["z"])
        #expect(plan.gone.isEmpty)
        let none = try world.plan(Self.two, only: ["a/*/nothing"])
        #expect(none.selectorMatched == [false])
    }

    @Test("paused and cancelled downloads are not wanted")
    func paused() throws {
        let plan = try world.plan(Self.two)
        try world.store.catalogs.apply(plan.changes)
        let (x, y) = (plan.wanted[0].id, plan.wanted[1].id)
        try world.store.write([.steer(x, .pause), .steer(y, .cancel)])
        var next = try world.plan(Self.two)
        #expect(next.wanted.isEmpty)
        #expect(next.counts == [.paused: 1, .cancelled: 1])
        // Not because its source changes, either: only the person takes it back.
        next = try world.plan(
            "- {id: a, title: Optics, quality: 480p, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}")
        #expect(next.wanted.isEmpty)
        try world.store.write([.steer(x, .resume), .steer(y, .retry)])
        #expect(try world.plan(Self.two).wanted.map(\.id) == [x, y])
    }

    @Test("permanently failed downloads are not wanted")
    func failedForGood() throws {
        let plan = try world.plan(Self.two)
        try world.store.catalogs.apply(plan.changes)
        try world.store.write([
            .fail(plan.wanted[0].id, DownloadError(kind: .gone, message: "no"), retryAt: nil)
        ])
        let next = try world.plan(Self.two)
        #expect(next.wanted.map(\.reference.video) == ["y"])
        #expect(next.counts == [.failed: 1, .waiting: 1])
    }

    @Test(
        "retriesFailed retries failures whose cause may be gone, not those that only the catalog or time can fix",
        arguments: [
            (DownloadError.Kind.gone, true), (.notFound, true), (.checksumMismatch, true), (.providerFailed, true),
            (.drm, false), (.invalidParameters, false), (.rateLimited, false),
        ])
    func retried(kind: DownloadError.Kind, isRetried: Bool) throws {
        let plan = try world.plan(Self.two)
        try world.store.catalogs.apply(plan.changes)
        let id = plan.wanted[0].id
        try world.store.write([.fail(id, DownloadError(kind: kind, message: "no"), retryAt: Date() + 3600)])
        let next = try world.plan(Self.two, retriesFailed: true)
        #expect(next.changes.revived == (isRetried ? [id] : []))
        #expect(next.counts == (isRetried ? [.waiting: 2] : [.failed: 1, .waiting: 1]))
        #expect(next.wanted.first { $0.id == id }?.retryAt == nil)
        // If it fails again it counts as the failure that it was.
        #expect(!isRetried || next.wanted.first { $0.id == id }?.failedRuns == 0)
        // Only what the run is about.
        #expect(try world.plan(Self.two, only: ["a/*/y"], retriesFailed: true).changes.revived.isEmpty)
        try world.store.catalogs.apply(next.changes)
        #expect(try world.store.downloads.record(id)?.state == (isRetried ? .waiting : .failed))
    }

    @Test("a failed download waits again when its time has come, or its source has changed")
    func failed() throws {
        let plan = try world.plan(Self.two)
        try world.store.catalogs.apply(plan.changes)
        let now = Date()
        try world.store.write([
            .fail(plan.wanted[0].id, DownloadError(kind: .network, message: "no"), retryAt: now + 60)
        ])
        #expect(try world.plan(Self.two, now: now).counts == [.failed: 1, .waiting: 1])
        #expect(try world.plan(Self.two, now: now + 61).counts == [.waiting: 2])
        let changed = try world.plan(
            "- {id: a, title: Optics, quality: 480p, videos: [{id: x, title: Light}, {id: y, title: Lenses}]}", now: now
        )
        #expect(changed.counts == [.waiting: 2])
    }

    @Test("extras are wanted until they are stored, then again when they change")
    func extras() throws {
        let one = "- {id: a, videos: [{id: x, cover: http://h/c.jpg}]}"
        try world.sync(one)
        let plan = try world.plan(one)
        #expect(plan.sidecarGroups.count == 1)
        try world.store.write([.extrasStored(plan.sidecarGroups[0].wanted.id, plan.sidecarGroups[0].digest)])
        #expect(try world.plan(one).sidecarGroups.isEmpty)
        #expect(try world.plan("- {id: a, videos: [{id: x, cover: http://h/d.jpg}]}").sidecarGroups.count == 1)
    }

    @Test(
        "prune deletes no more than allowed",
        arguments: [(MaxDelete.percent(10), true), (.count(1), true), (.count(2), false)])
    func prune(limit: MaxDelete, isHeld: Bool) throws {
        try world.sync("- {id: a, videos: [u, v, w, x]}")
        let plan = try world.plan("- {id: a, videos: [u, v]}")
        #expect((PruneGuard.verdict(plan, limit, endsWell: true) == .held(count: 2)) == isHeld)
    }

    @Test("pruning counts everything that the user would lose: files, partials, pauses and cancellations")
    func pruneValued() throws {
        let written = "- {id: a, videos: [f, p, u, c, n, s, t]}"
        let plan = try world.plan(written)
        try world.store.catalogs.apply(plan.changes)
        let ids = Dictionary(uniqueKeysWithValues: plan.wanted.map { ($0.reference.video, $0.id) })
        func id(_ video: String) throws -> DownloadID { try #require(ids[video]) }
        let file = StoredFile(path: "a/01 f.mp4", size: 9, modified: 1, sha256: [7], source: plan.wanted[0].source)
        world.files.insert(file.path)
        try world.store.write([
            .begin(try id("f")), .placing(try id("f"), file), .finish(try id("f")),
            .progress(try id("p"), ProgressFacts(bytes: 5, total: 9, validators: Validators())),
            .steer(try id("u"), .pause), .steer(try id("c"), .cancel),
        ])
        let none = try world.plan("- {id: a, videos: [s, t]}")
        #expect(none.gone.count == 5 && none.valuedInJudged == 4)
        #expect(PruneGuard.verdict(none, .percent(10), endsWell: true) == .held(count: 4))
        #expect(PruneGuard.verdict(none, .count(4), endsWell: true) == .delete(none.gone))
        let one = try world.plan("- {id: a, videos: [f, p, u, c, s, t]}")
        #expect(one.valuedInJudged == 4)
        #expect(PruneGuard.verdict(one, .count(0), endsWell: true) == .delete(one.gone), "a row with nothing")
    }

    @Test("a run that leaves something failed or undone prunes nothing, and says so")
    func pruneUnfinished() throws {
        try world.sync("- {id: a, videos: [u, v]}")
        let plan = try world.plan("- {id: a, videos: [u]}")
        let verdict = PruneGuard.verdict(plan, .percent(100), endsWell: false)
        #expect(verdict == .unfinished(count: 1))
        #expect(PruneGuard.warning(verdict, plan) == .unfinished(count: 1))
        let same = try world.plan("- {id: a, videos: [u, v]}")
        #expect(PruneGuard.verdict(same, .percent(100), endsWell: false) == .nothing)
    }

    @Test("one deletion is always allowed")
    func pruneOne() throws {
        try world.sync("- {id: a, videos: [u, v]}")
        let plan = try world.plan("- {id: a, videos: [u]}")
        #expect(PruneGuard.verdict(plan, .percent(10), endsWell: true) == .delete(plan.gone))
    }
}
