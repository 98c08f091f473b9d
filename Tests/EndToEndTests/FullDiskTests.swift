import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// Needs to mount file systems that no other process sees.
@Suite(
    "disks that are full or read-only",
    .enabled("no private mounts on this machine") { try await Tool.unshare.run(["--mount", "true"]).isSuccess })
struct FullDiskTests {
    /// The contents of a small disk, and its size.
    struct Disk: CustomTestStringConvertible {
        var what: String
        var size: String
        var testDescription: String { "\(what) on \(size)" }
    }

    @Test(
        "a full disk, of the library or of the state, ends the run with 73; once there is room the next one goes on",
        arguments: [
            Disk(what: "library", size: "2m"), Disk(what: "state", size: "48k"), Disk(what: "state", size: "220k"),
        ])
    func full(_ disk: Disk) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...40).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/100000.mp4"), videos: videos))
        try stage.folder.make(disk.what)
        let outcome = try await mounted(
            """
            mount -t tmpfs -o size=\(disk.size) none "$place"
            "$@" --min-free-space off || echo "first $?" >&2
            mount -o remount,size=64m "$place"
            "$@" && echo "second $?" >&2
            cp -r "$place" "$place.copy"
            """, at: stage.folder.at(disk.what), stage)
        #expect(outcome.error.contains("first 73"), "\(outcome.report)")
        #expect(outcome.error.contains("second 0"), "\(outcome.report)")
        if disk.what == "state" {
            #expect(outcome.error.contains("state.sqlite is full"), "\(outcome.report)")
        }
        let library = disk.what == "library" ? stage.folder.at("library.copy") : stage.library
        let right = (1...40).map { TestContent(seed: $0, size: 100_000).sha256Text }
        #expect(LibraryFiles(library).digests.values.sorted() == right.sorted())
        // What had arrived didn't come again, but for those that arrived while the state could not say so.
        #expect(host.requests().count < 2 * 40)
        await host.stop()
    }

    @Test("if partials fill the disk it lists them, with remedies")
    func partials() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...4).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/1900000.mp4?rate=1000000"), videos: videos))
        try stage.folder.make("library")
        let outcome = try await mounted(
            """
            mount -t tmpfs -o size=2m none "$place"
            "$@" --jobs 4 --min-free-space off || echo "first $?" >&2
            """, at: stage.folder.at("library"), stage)
        #expect(outcome.error.contains("first 73"), "\(outcome.report)")
        #expect(outcome.error.contains("unfinished videos use"), "\(outcome.report)")
        #expect(outcome.error.contains("coursefetch cancel 'c/*/"), "\(outcome.report)")
        await host.stop()
    }

    @Test("5% of a small disk stay free by default, which is said once; a sync that has nothing to do ends with 0")
    func floor() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...40).map { CatalogText.Video(id: "\($0)", extra: ["size: 100000"]) }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/100000.mp4"), videos: videos))
        try stage.folder.make("library")
        let outcome = try await mounted(
            """
            left() { df -B1 --output=avail "$place" | tail -1 | sed "s/^/$1 left /" >&2; }
            mount -t tmpfs -o size=2m none "$place"
            "$@" || echo "first $?" >&2
            left first
            "$@" --min-free-space 0 || echo "second $?" >&2
            left second
            mount -o remount,size=64m "$place"
            "$@" && echo "third $?" >&2
            head -c 57m /dev/zero > "$place/others"
            left third
            "$@" --write-nfo > "$place.out" 2>&1
            echo "fourth $?, $(wc -c < "$place.out")" >&2
            ls "$place/Course" | grep -c '^[0-9].*nfo' >&2
            """, at: stage.folder.at("library"), stage)
        for line in ["first 73", "second 73", "third 0", "fourth 0, 0\n40\n"] {
            #expect(outcome.error.contains(line), "\(outcome.report)")
        }
        #expect(outcome.error.split(separator: "a sync leaves 102.4 KiB free by default").count == 2)
        let left = outcome.error.matches(of: #/(\w+) left\s+(\d+)/#).reduce(into: [:]) {
            $0[String($1.1)] = Int($1.2)
        }
        let floor = 2 << 20 / 20
        #expect(left["first"].map { ((floor - 65_536)...(2 * floor)).contains($0) } == true, "\(left)")
        #expect(left["second"].map { $0 < floor } == true, "\(left)")
        #expect(left["third"].map { $0 < 64 << 20 / 20 } == true, "what is unchanged may be on a disk below its floor")
        await host.stop()
    }

    @Test("a last file of unknown size may take the room that is to stay free: if nothing waits, the sync ends with 0")
    func lastFile() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(CatalogText(url: host.url("/media/{id}/3000000.mp4"), videos: [.init(id: "1")]))
        try stage.folder.make("library")
        let outcome = try await mounted(
            """
            mount -t tmpfs -o size=20m none "$place"
            code=0
            "$@" --min-free-space 18M || code=$?
            echo "$code: $(find "$place" -name '*.mp4' | wc -l)" >&2
            """, at: stage.folder.at("library"), stage)
        // It may be noticed before the file is complete.
        #expect(outcome.error.contains("0: 1\n") || outcome.error.contains("73: 0\n"), "\(outcome.report)")
        await host.stop()
    }

    @Test("a disk that can't be measured is never too full")
    func unmeasured() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)", extra: ["size: 20000"]) }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos))
        try stage.folder.make("library")
        // A tmpfs without a limit has zeros for its size, and so have some file systems in user space.
        let outcome = try await mounted(
            """
            mount -t tmpfs -o size=0 none "$place"
            "$@" --only 'c/*/1' || echo "ended $?" >&2
            "$@" --only 'c/*/2' --min-free-space 0 || echo "ended $?" >&2
            "$@" --only 'c/*/3' --min-free-space 5G || echo "ended $?" >&2
            find "$place" -name '*.mp4' | wc -l >&2
            """, at: stage.folder.at("library"), stage)
        #expect(outcome.error == "3\n", "\(outcome.report)")
        await host.stop()
    }

    @Test(
        "a state or library on a read-only disk is refused before anything starts", arguments: ["state", "library"])
    func readOnly(_ what: String) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos))
        #expect(try await stage.sync("catalog.yaml", ["--only", "c/*/1"]).exit == 0)
        let requests = host.requests().count
        let before = try stage.stateCopy().states()
        let outcome = try await mounted(
            """
            mount --bind "$place" "$place"
            mount -o remount,ro,bind "$place"
            "$@" || echo "ended $?" >&2
            """, at: stage.folder.at(what), stage)
        #expect(outcome.error.contains("ended 73"), "\(outcome.report)")
        // It is named, with the reason.
        let place = what == "state" ? "the file system of \(stage.state)" : "\(stage.library)/.coursefetch/lock"
        #expect(
            outcome.error.contains(place) && outcome.error.lowercased().contains("read-only"), "\(outcome.report)")
        if what == "state" {
            #expect(host.requests().count == requests, "\(outcome.report)")
            #expect(try stage.stateCopy().states() == before)
        }
        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        #expect(LibraryFiles(stage.library).paths.count == 3)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("room for a stream, but not for ffmpeg's output: it waits, and the disk isn't filled")
    func stream() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        try stage.folder.make("library")
        let size = try fixture.joined().count
        let outcome = try await mounted(
            """
            mount -t tmpfs -o size=\(size * 3 / 2) none "$place"
            "$@" --min-free-space 64K --limit-rate 300K || echo "first $?" >&2
            df -B1 --output=avail "$place" | tail -1 | sed 's/^/left /' >&2
            mount -o remount,size=64m "$place"
            "$@" --min-free-space 64K && echo "second $?" >&2
            cp -r "$place" "$place.copy"
            """, at: stage.folder.at("library"), stage)
        #expect(outcome.error.contains("first 73"), "\(outcome.report)")
        #expect(outcome.error.contains("second 0"), "\(outcome.report)")
        let left = try #require(outcome.error.firstMatch(of: #/left\s+(\d+)/#).flatMap { Int($0.1) })
        #expect(left > size / 2, "it stopped long before the disk was full")
        let path = stage.folder.at("library.copy").appending("Course/01 v.mp4").string
        try await StreamFile(path: path, name: "v").check(fixture, isRemuxed: true)
        await host.stop()
    }

    /// Runs a script in which `$place` is a folder and `"$@"` a sync; its mounts end with it.
    private func mounted(_ script: String, at place: FilePath, _ stage: Stage) async throws -> Outcome {
        try await Program.run(
            [
                "unshare", "--mount", "sh", "-c", "place=$1; shift\n" + script, "sh", place.string,
                Built.executable("coursefetch").string, "sync", stage.folder.at("catalog.yaml").string, "--quiet",
                "--library", stage.library.string, "--state", stage.state.string,
            ], in: stage.folder)
    }
}
