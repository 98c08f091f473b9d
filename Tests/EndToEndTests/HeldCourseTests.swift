import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("courses whose folders are missing or can't be read")
struct HeldCourseTests {
    @Test(
        "a disk missing in the library holds its courses with 73, until it is back or they are to be downloaded again")
    func massLoss() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        var catalog = CatalogText(
            url: host.url("/media/{id}/3000.mp4"),
            courses: [("a", 11...13), ("b", 21...23)].map { course, videos in
                .init(id: course, title: course, videos: videos.map { .init(id: "\($0)") })
            })
        try stage.catalog(catalog)
        #expect(try await stage.sync().exit == 0)
        try stage.folder.move("library/a", to: "disk")
        // What is left of a mount.
        try stage.folder.make("library/a")
        for course in 0...1 { catalog.courses[course].videos.append(.init(id: "\(10 * course + 14)")) }
        try stage.catalog(catalog)
        let dry = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(dry.exit == 73 && dry.output.contains(#""video":"24""#), "\(dry.report)")
        #expect(!dry.output.contains(#""video":"1"#), "\(dry.output)")
        let held = try await stage.sync()
        #expect(held.exit == 73, "\(held.report)")
        #expect(held.events("download_finished").map(\.video) == ["24"])
        #expect(held.events("course_held").map(\.course) == ["a"])
        let message = held.summary?.errors?.first?.message ?? ""
        for way in ["3 of its 3 finished files are missing", "mount it", "--refetch-lost", "verify a --repair"] {
            #expect(message.contains(way), "\(message)")
        }
        #expect(LibraryFiles(stage.library).paths.allSatisfy { $0.hasPrefix("b/") })
        // What a held prune says to paste is about pruning only.
        let pruned = try await stage.sync("catalog.yaml", ["--prune", "--max-delete", "100%"])
        #expect(pruned.exit == 73 && pruned.events("course_held").count == 1, "\(pruned.report)")
        #expect(pruned.events("download_finished").isEmpty && pruned.events("download_removed").isEmpty)
        let status = try await stage.command(["status"])
        #expect(status.output.contains("3 of its 3 finished files are missing"), "\(status.output)")
        let verified = try await stage.run(["verify"])
        #expect(verified.exit == 1 && verified.output.contains("the state wasn't changed"), "\(verified.report)")
        #expect(try stage.stateCopy().states().values.allSatisfy { $0 == "finished" })
        // Mounted again.
        try stage.folder.remove("library/a")
        try stage.folder.move("disk", to: "library/a")
        let back = try await stage.sync()
        #expect(back.exit == 0 && back.events("download_finished").map(\.video) == ["14"], "\(back.report)")
        #expect(!(try await stage.command(["status"]).output.contains("are missing")))
        // Gone for good.
        try stage.folder.remove("library/a")
        let anew = try await stage.sync("catalog.yaml", ["--refetch-lost"])
        #expect(anew.exit == 0 && anew.events("download_finished").count == 4, "\(anew.report)")
        try stage.folder.remove("library/b")
        #expect(try await stage.sync().exit == 73)
        #expect(try await stage.command(["status"]).output.contains("4 of its 4 finished files are missing"))
        #expect(try await stage.run(["verify", "--repair"]).exit == 1)
        #expect(!(try await stage.command(["status"]).output.contains("are missing")), "nothing is held any more")
        let repaired = try await stage.sync()
        #expect(repaired.exit == 0 && repaired.events("download_finished").count == 4, "\(repaired.report)")
        await host.stop()
    }

    /// The obstacle in place of a course's folder.
    enum Obstacle: String, CaseIterable {
        case danglingLink, loop, linkToTheFiles, file, closedFolder
    }

    @Test(
        "a course folder that can't be read affects that course only, with 73; a dry run says so, and the state isn't blamed",
        arguments: Obstacle.allCases)
    func unreadableFolder(obstacle: Obstacle) async throws {
        // Nothing is closed to root.
        guard obstacle != .closedFolder || geteuid() != 0 else { return }
        let host = try await FaultHost.start()
        let stage = try Stage()
        var catalog = CatalogText(
            url: host.url("/media/{id}/3000.mp4"),
            courses: [("a", 11...13), ("b", 21...23)].map { course, videos in
                .init(id: course, title: course, videos: videos.map { .init(id: "\($0)") })
            })
        try stage.catalog(catalog)
        #expect(try await stage.sync().exit == 0)
        if obstacle != .closedFolder { try stage.folder.move("library/a", to: "disk") }
        switch obstacle {
        case .danglingLink: try stage.folder.link("library/a", to: "nowhere")
        case .loop: try stage.folder.link("library/a", to: "a")
        case .linkToTheFiles: try stage.folder.link("library/a", to: stage.folder.at("disk").string)
        case .file: try stage.folder.write("mine", to: "library/a")
        case .closedFolder: chmod(stage.folder.at("library/a").string, 0)
        }
        for course in 0...1 { catalog.courses[course].videos.append(.init(id: "\(10 * course + 14)")) }
        try stage.catalog(catalog)

        let dry = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(dry.exit == 73 && dry.output.contains(#""video":"24""#), "\(dry.report)")
        #expect(!dry.output.contains(#""video":"1"#), "\(dry.output)")
        let outcome = try await stage.sync("catalog.yaml", ["--refetch-lost"])
        #expect(outcome.exit == 73, "\(outcome.report)")
        #expect(outcome.events("download_finished").map(\.video) == ["24"])
        #expect(outcome.events("course_held").map(\.course) == ["a"])
        #expect(outcome.events("course_held").first?.reason == "unreadable", "\(outcome.report)")
        #expect(outcome.summary?.errors?.count == 1 && outcome.events("download_waiting").isEmpty, "\(outcome.report)")
        let message = outcome.summary?.errors?.first?.message ?? ""
        let reason =
            switch obstacle {
            case .danglingLink, .loop, .linkToTheFiles:
                "a leads through a symbolic link, which coursefetch never follows"
            case .file: "a isn't a folder"
            case .closedFolder: "can't open a: Permission denied"
            }
        #expect(message.hasPrefix("the course 'a' was left unchanged: ") && message.contains(reason), "\(message)")
        #expect(!"\(outcome.error)\(message)".contains("state"), "\(outcome.report)")
        let status = try await stage.command(["status"])
        #expect(status.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(reason))
        #expect(try stage.stateCopy().states().values.allSatisfy { $0 == "finished" })

        if obstacle == .closedFolder {
            chmod(stage.folder.at("library/a").string, 0o755)
        } else {
            try stage.folder.remove("library/a")
            try stage.folder.move("disk", to: "library/a")
        }
        #expect(
            !(try await stage.command(["status"]).output.contains("was left unchanged")), "it can be looked at again")
        let back = try await stage.sync()
        #expect(back.exit == 0 && back.events("download_finished").map(\.video) == ["14"], "\(back.report)")
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
