import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import DownloadRunner

@Suite("Watching catalogs for changes", .timeLimit(.minutes(2)), .serialized)
struct CatalogWatchTests {
    private let folder = TemporaryFolder()

    init() throws {
        try folder.write("version: 1\n", to: "a.yaml")
        try folder.write("version: 1\n", to: "more/b.yaml")
    }

    /// The kernel's notices: it would look by itself only after an hour.
    private func watch(interval: Duration = .seconds(3600), _ paths: String...) -> CatalogWatch {
        CatalogWatch(
            (paths.isEmpty ? ["a.yaml", "more/b.yaml"] : paths).map { folder.at($0).string },
            settling: .milliseconds(50), interval: interval)
    }

    enum Change: CaseIterable {
        case written, replaced, removed, appeared, renamed, included
    }

    private func make(_ change: Change) throws {
        switch change {
        case .written: try folder.write("version: 1\nname: x\n", to: "more/b.yaml")
        case .replaced:
            try folder.write("version: 1\n", to: "more/new")
            #expect(rename(folder.at("more/new").string, folder.at("more/b.yaml").string) == 0)
        case .removed: try folder.remove("a.yaml")
        case .appeared: try folder.write("version: 1\n", to: "more/c.yml")
        case .renamed:
            try FileManager.default.moveItem(atPath: folder.at("a.yaml").string, toPath: folder.at("z").string)
        case .included: try folder.write("version: 1\ncourses: []\n", to: "a.yaml")
        }
    }

    @Test("a change is reported to a waiting reader, or to the next one", arguments: Change.allCases)
    func changes(_ change: Change) async throws {
        let watch = watch()
        let waiting = Task { await watch.changed() }
        // Whether it waits already or not makes no difference.
        await Task.yield()
        try make(change)
        await waiting.value

        let other = self.watch()
        try folder.write("another\n", to: "more/b.yaml")
        await other.changed()
    }

    @Test("without kernel notifications it polls", arguments: [Change.written, .replaced, .appeared])
    func polling(_ change: Change) async throws {
        let watch = watch(interval: .milliseconds(20))
        let waiting = Task { await watch.changed() }
        await Task.yield()
        try make(change)
        await waiting.value
    }

    @Test("other files beside the catalogs don't count")
    func beside() async throws {
        let watch = watch(interval: .milliseconds(20))
        let hasReturned = Recorded<Void>()
        let waiting = Task {
            await watch.changed()
            if !Task.isCancelled { hasReturned.note(()) }
        }
        for count in 0..<10 {
            try folder.write("\(count)", to: "more/report.json")
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(hasReturned.all.isEmpty)
        waiting.cancel()
        await waiting.value
    }

    @Test("a save in several steps is one change, reported when the file is stable")
    func settles() async throws {
        let watch = CatalogWatch(
            [folder.at("a.yaml").string], settling: .milliseconds(700), interval: .seconds(3600))
        let waiting = Task {
            await watch.changed()
            return folder.read("a.yaml")
        }
        for count in 0..<20 {
            try folder.write(String(repeating: "x", count: count), to: "a.yaml")
            try await Task.sleep(for: .milliseconds(10))
        }
        try folder.write("the end", to: "a.yaml")
        #expect(await waiting.value == "the end")
    }

    @Test("each change is reported once")
    func once() async throws {
        let watch = watch(interval: .milliseconds(20))
        try folder.write("one more line\n", to: "a.yaml")
        await watch.changed()
        let hasReturned = Recorded<Void>()
        let waiting = Task {
            await watch.changed()
            if !Task.isCancelled { hasReturned.note(()) }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(hasReturned.all.isEmpty)
        try folder.write("and another one\n", to: "a.yaml")
        await waiting.value
        #expect(hasReturned.all.count == 1)
    }

    @Test("a folder that is replaced as a whole is watched again")
    func folderReplaced() async throws {
        let watch = watch(interval: .milliseconds(50))
        try folder.remove("more")
        await watch.changed()
        try folder.write("version: 1\n", to: "more/b.yaml")
        await watch.changed()
    }

    @Test("cancelling ends the wait, and closes everything")
    func cancelled() async throws {
        var watch: CatalogWatch? = self.watch()
        let waiting = Task { [watch] in await watch?.changed() }
        await Task.yield()
        waiting.cancel()
        await waiting.value
        watch = nil
        for _ in 0..<500 where notices() > 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(notices() == 0)
    }

    /// How many descriptors of this process hear from the kernel; nobody else in these tests does.
    private func notices() -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
            return target?.contains("inotify") == true
        }
    }
}
