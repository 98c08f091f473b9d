import CourseCatalog
import DownloadStore
import SyncFacts
import Testing

@testable import CatalogComparison

@Suite("Numbers of videos and chapters")
struct NumberTests {
    private let world: CatalogWorld

    init() throws { world = try CatalogWorld() }

    /// A listing of videos directly under the course, and of chapters; `7:x` is episode 7, `2:c` season 2.
    private func listing(_ direct: [String] = [], _ chapters: [(String, [String])] = []) -> CourseListing {
        func split(_ text: String) -> (number: Int?, id: String) {
            let parts = text.split(separator: ":")
            return parts.count == 2 ? (Int(parts[0]), String(parts[1])) : (nil, text)
        }
        func video(_ text: String, _ chapter: Int?) -> CourseListing.Video {
            let (number, id) = split(text)
            var video = CourseListing.Video(id: id, chapter: chapter)
            video.episode = number
            return video
        }
        var listing = CourseListing()
        listing.videos = ListingVideos(direct.map { video($0, nil) })
        for (index, (text, videos)) in chapters.enumerated() {
            let (season, id) = split(text)
            var chapter = CourseListing.Chapter(id: id)
            chapter.season = season
            listing.chapters.append(chapter)
            listing.videos.append(contentsOf: videos.map { video($0, index) })
        }
        return listing
    }

    private static let course = "- {id: a, discover: true}"

    private func names(_ listing: CourseListing, layout: String = "plain") throws -> [String] {
        let plan = try world.sync(Self.course, layout: layout, listings: ["a": listing])
        let again = try world.plan(Self.course, layout: layout, listings: ["a": listing])
        #expect(again.changes.isEmpty && again.moves.isEmpty, "\(again.changes)")
        #expect(plan.moves.isEmpty, "\(plan.moves)")
        return world.files.sorted()
    }

    @Test("the first of 2,000 listed files goes: none of the others moves, and new ones come after them")
    func first() throws {
        let files = (1...2000).map { "f\($0)" }
        try world.sync(Self.course, listings: ["a": listing(files)])
        let before = world.files
        let after = try names(listing(Array(files.dropFirst()) + ["new"]))
        #expect(Set(after).subtracting(before) == ["a/2001 new.mp4"] && before.isSubset(of: after))
    }

    @Test("what is gone keeps its number, also when it comes back")
    func gone() throws {
        _ = try names(listing(["x", "y"]), layout: "jellyfin")
        #expect(
            try names(listing(["y", "z"]), layout: "jellyfin") == [
                "a/Season 01/a S01E01 x.mp4", "a/Season 01/a S01E02 y.mp4", "a/Season 01/a S01E03 z.mp4",
            ])
        #expect(try names(listing(["x", "y", "z"]), layout: "jellyfin").count == 3)
    }

    @Test("a chapter is the season that its source says, and keeps the number that it was given")
    func seasons() throws {
        #expect(try names(listing([], [("2:b", ["1:x"])]), layout: "jellyfin") == ["a/Season 02/a S02E01 x.mp4"])
        #expect(
            try names(listing([], [("1:a", ["1:w"]), ("2:b", ["1:x"])]), layout: "jellyfin")
                == ["a/Season 01/a S01E01 w.mp4", "a/Season 02/a S02E01 x.mp4"])
    }

    @Test("videos directly under a course stay when it gets chapters, and chapters when it gets such videos")
    func both() throws {
        #expect(try names(listing(["x"]), layout: "jellyfin") == ["a/Season 01/a S01E01 x.mp4"])
        #expect(
            try names(listing(["x"], [("c", ["y"])]), layout: "jellyfin")
                == ["a/Season 01/a S01E01 x.mp4", "a/Season 02/a S02E01 y.mp4"])
        let other = try CatalogWorld()
        try other.sync(Self.course, listings: ["a": listing(["x"], [("c", ["y"])])])
        let plan = try other.sync(Self.course, listings: ["a": listing(["w", "x"], [("b", ["z"]), ("c", ["y"])])])
        #expect(plan.moves.isEmpty)
        #expect(other.files == ["a/01 x.mp4", "a/02 w.mp4", "a/02 c/01 y.mp4", "a/03 b/01 z.mp4"])
    }

    @Test("what the catalog writes orders itself, also in a course that lists itself")
    func written() throws {
        func sync(_ videos: String) throws {
            try world.sync("- {id: a, discover: true, videos: [\(videos)]}", listings: ["a": listing(["x", "y"])])
        }
        try sync("v")
        #expect(world.files == ["a/01 v.mp4", "a/02 x.mp4", "a/03 y.mp4"])
        try sync("v, w")
        #expect(world.files == ["a/01 v.mp4", "a/02 x.mp4", "a/03 y.mp4", "a/04 w.mp4"])
        try sync("w, v")
        #expect(world.files == ["a/01 w.mp4", "a/02 x.mp4", "a/03 y.mp4", "a/04 v.mp4"])
        // A listed one stays where it is, though it is named.
        try sync("w, v, y")
        #expect(world.files.contains("a/03 y.mp4"))
    }

    @Test("by hand: what is gone keeps its number as long as it is there; then the others close up")
    func byHand() throws {
        try world.sync("- {id: a, videos: [x, y, z]}")
        let plan = try world.sync("- {id: a, videos: [y, z, w]}")
        #expect(plan.moves.isEmpty && world.files.contains("a/04 w.mp4"))
        for gone in plan.gone { try world.store.downloads.delete([gone.id]) }
        world.files.remove("a/01 x.mp4")
        try world.sync("- {id: a, videos: [y, z, w]}")
        #expect(world.files == ["a/01 y.mp4", "a/02 z.mp4", "a/03 w.mp4"])
    }

    @Test("a chapter that is gone keeps its numbers, too")
    func goneChapter() throws {
        try world.sync("- {id: a, chapters: [{id: c, videos: [x]}, {id: d, videos: [y]}]}", layout: "jellyfin")
        let plan = try world.sync(
            "- {id: a, chapters: [{id: d, videos: [y]}, {id: e, videos: [z]}]}", layout: "jellyfin")
        #expect(plan.moves.isEmpty)
        #expect(world.files.contains("a/Season 03/a S03E01 z.mp4"), "\(world.files)")
        let direct = try world.sync("- {id: a, videos: [w]}", layout: "jellyfin")
        #expect(direct.wanted.map(\.stem) == ["a/Season 00/a S00E01 w"])
    }

    @Test("a selection numbers its videos as if all were there")
    func selection() throws {
        let all = listing(["x", "y", "z"])
        try world.sync(Self.course, only: ["a/*/y"], listings: ["a": all])
        #expect(world.files == ["a/02 y.mp4"])
        #expect(try names(all) == ["a/01 x.mp4", "a/02 y.mp4", "a/03 z.mp4"])
    }

    @Test("another number of the source moves a file, and fetches nothing")
    func corrected() throws {
        _ = try names(listing([], [("2:b", ["7:x"])]))
        let plan = try world.sync(Self.course, listings: ["a": listing([], [("2:b", ["8:x"])])])
        #expect(plan.moves.map(\.to) == ["a/01 b/08 x.mp4"] && plan.wanted.isEmpty)
    }

    @Test("rows without a number get one, and the others keep theirs")
    func damaged() throws {
        _ = try names(listing(["x", "y", "z"]))
        var changes = ReconcileChanges()
        try world.store.downloads.each { row in
            var fields = row.catalog
            (fields.number, fields.numberInCourse) = (-5, nil)
            if row.key.video == "y" {
                changes.updated.append(.init(id: row.id, fields: fields, sourceChanged: false))
            }
        }
        try world.store.catalogs.apply(changes)
        #expect(try names(listing(["x", "y", "z"])) == ["a/01 x.mp4", "a/02 y.mp4", "a/03 z.mp4"])
    }
}
