import Foundation
import Synchronization
import SystemPackage
import TestServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Rounds of syncs that are killed, or whose user logs out, over a catalog of large and small files, sidecars and a video in two courses.
final class KillRounds {
    private let stage: Stage
    /// The video that is in both courses.
    private static let shared = "clip-101"
    private var chance: Chance
    /// The contents under names that contain the key.
    private var contents: [String: TestContent] = [:]
    private var digests: [String: String] = [:]
    /// The durable offsets when each round was killed: nothing below may be requested again.
    private var floors: [[String: Int]] = []

    private let large: Int
    private let small: Int
    private let jobs: Int
    /// Milliseconds after its start at which a sync is killed at the latest.
    private let latest: Int

    private let end: End
    /// What logouts took, in seconds from the start of the command: to the last byte, and to the end of the sync.
    private(set) var latencies: [(bytes: Double, process: Double)] = []

    /// How a round ends.
    enum End {
        case kill, logout
    }

    init(_ chance: Chance, large: Int, small: Int, jobs: Int, latest: Int, end: End = .kill) throws {
        self.end = end
        self.chance = chance
        self.large = large
        self.small = small
        self.jobs = jobs
        self.latest = latest
        stage = try Stage()
    }

    func run(_ rounds: Int) async throws {
        let nginx = try await NginxServer.start()
        try prepare(nginx)
        for round in 0..<rounds {
            let delay = Duration.milliseconds(Int.random(in: 20...latest, using: &chance))
            switch end {
            case .kill: try await killOnce(after: delay)
            case .logout: try await logOutOnce(after: delay)
            }
            try checkFiles(round)
            try floors.append(recordedFloors(round))
            // Connections that begin after this one belong to later rounds.
            try await mark(nginx, "/plain/round-\(round)")
        }
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "\(jobs * 2)"])
        #expect(outcome.exit == 0, "seed \(chance.seed): \(outcome.report)")
        try checkFiles(rounds)
        let found = Set(LibraryFiles(stage.library).digests.values)
        for (name, digest) in digests { #expect(found.contains(digest), "\(name) is missing") }
        #expect(LibraryFiles(stage.library).paths.count == contents.count + 1, "and the video in two courses")
        #expect(try stage.strays() == [], "seed \(chance.seed)")
        await nginx.stop()
        try checkRanges(nginx.log())
    }

    private func prepare(_ nginx: NginxServer) throws {
        var videos: [CatalogText.Video] = []
        // Three digits, so that no name is part of another.
        for index in 100..<100 + large + small {
            let name = "clip-\(index)"
            let size = index < 100 + large ? 1_200_000 + 1_000 * index : large == 0 ? 3_000 + index : 30_000 + index
            let content = TestContent(seed: UInt64(index), size: size)
            contents[name] = content
            try nginx.add(name + ".mp4", content)
            var video = CatalogText.Video(id: name)
            if index % 8 == 0, index < 140 {
                let notes = TestContent(seed: UInt64(1000 + index), size: 3_000 + index)
                contents["notes-\(index)"] = notes
                try nginx.add("notes-\(index).pdf", notes)
                video.extra = [
                    "attachments: [{title: notes-\(index), url: \"\(nginx.url("/plain/notes-\(index).pdf"))\"}]"
                ]
            }
            videos.append(video)
        }
        digests = contents.mapValues(\.sha256Text)
        videos.shuffle(using: &chance)
        let again = CatalogText.Video(id: Self.shared)
        try stage.catalog(
            CatalogText(
                url: nginx.url("/limited/{id}.mp4?rate=\(end == .kill ? "400k" : "90m")"),
                courses: [
                    .init(id: "c", title: "Course", videos: videos), .init(id: "d", title: "Another", videos: [again]),
                ]))
    }

    /// Kills a sync, and waits until all that it had started has ended.
    private func killOnce(after delay: Duration) async throws {
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "\(jobs)"]) { running in
            let pid = try await running.pid()
            try await Task.sleep(for: delay)
            // It can't start anything between the look and the kill.
            kill(pid, SIGSTOP)
            let children = ProcessTable.now().descendants(of: pid)
            kill(pid, SIGKILL)
            let left = try await ProcessTable.end(of: children)
            #expect(left.isEmpty, "left behind: \(left.map(\.command))")
        }
        #expect(outcome.exit == 137 || outcome.exit == 0, "\(outcome.report)")
    }

    /// Logs the user out while a sync runs, and in again.
    private func logOutOnce(after delay: Duration) async throws {
        let stage = stage
        let latency = Mutex((bytes: 0.0, process: 0.0))
        // Held back here, not by the server, so that bytes come all the time.
        let options = ["--jobs", "\(jobs)", "--limit-rate", "120K"]
        let outcome = try await stage.sync("catalog.yaml", options) { running in
            let pid = try await running.pid()
            try await running.wait { $0.event == "download_started" }
            try await Task.sleep(for: delay)
            let begun = ContinuousClock.now
            async let ending = stage.command(["logout"])
            var (size, lastByte) = (Self.partialBytes(stage), 0.0)
            while kill(pid, 0) == 0 {
                try await Task.sleep(for: .milliseconds(5))
                let now = Self.partialBytes(stage)
                if now > size { lastByte = (ContinuousClock.now - begun) / .seconds(1) }
                size = max(size, now)
            }
            let process = (ContinuousClock.now - begun) / .seconds(1)
            latency.withLock { $0 = (lastByte, process) }
            let logout = try await ending
            #expect(logout.exit == 0, "\(logout.report)")
        }
        latencies.append(latency.withLock { $0 })
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(outcome.events("download_suspended").allSatisfy { $0.reason == "logout" })
        #expect(try stage.stateCopy().rows("SELECT id FROM downloads WHERE state = 'active'").isEmpty)
        let refused = try await stage.sync()
        #expect(refused.exit == 77 && refused.events("download_started").isEmpty, "\(refused.report)")
        #expect(try await stage.command(["login"]).exit == 0)
    }

    /// What all partials have together.
    private static func partialBytes(_ stage: Stage) -> Int {
        let folder = stage.library.appending(".coursefetch/partials")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
        return names.reduce(0) { sum, name in
            var facts = stat()
            return stat(folder.appending(name).string, &facts) == 0 ? sum + Int(facts.st_size) : sum
        }
    }

    private func checkFiles(_ round: Int) throws {
        for (path, digest) in LibraryFiles(stage.library).digests {
            // An attachment's name begins with its video's.
            let name = try #require(path.matches(of: /(?:clip|notes)-\d+/).last, "\(path)").output
            #expect(digest == digests[String(name)], "seed \(chance.seed), round \(round): \(path) is wrong")
        }
    }

    /// Reads what the state claims, and holds it against what is really there.
    private func recordedFloors(_ round: Int) throws -> [String: Int] {
        let state = try stage.stateCopy()
        guard state.exists else { return [:] }
        var floors: [String: Int] = [:]
        let rows = try? state.rows("SELECT id, course, video, state, durable_bytes, path FROM downloads")
        // Killed before the schema was there.
        for row in rows ?? [] {
            guard let video = row["video"], let right = contents[video] else { continue }
            if row["state"] == "finished" {
                let path = try #require(row["path"])
                #expect(stage.folder.has("library/" + path), "seed \(chance.seed), round \(round): \(path) isn't there")
                floors[video] = .max
                continue
            }
            let durable = row["durable_bytes"].flatMap { Int($0) } ?? 0
            // Both courses' rows share one transfer.
            if floors[video] != .max { floors[video] = max(floors[video] ?? 0, durable) }
            guard durable > 0, row["path"] == nil else { continue }
            let partial = FileManager.default.contents(
                atPath: stage.library.appending(".coursefetch/partials/\(row["id"] ?? "").part").string)
            let found = try #require(partial, "seed \(chance.seed), round \(round): the partial of \(video) is gone")
            #expect(
                found.count >= durable && found.prefix(durable) == Data(right.bytes(0..<durable)),
                "seed \(chance.seed), round \(round): the partial of \(video) isn't what the state claims")
        }
        return floors
    }

    private func mark(_ nginx: NginxServer, _ path: String) async throws {
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        _ = try await session.data(from: try #require(URL(string: nginx.url(path))))
    }

    private func checkRanges(_ log: [NginxAccess]) throws {
        var resumed = 0
        let marks = try floors.indices.map { round in
            try #require(log.first { $0.path == "/plain/round-\(round)" }?.connection)
        }
        for request in log {
            guard let video = request.path.split(separator: "/").last?.dropLast(4), request.path.hasPrefix("/limited/"),
                let round = marks.lastIndex(where: { $0 < request.connection })
            else { continue }
            let floor = floors[round][String(video)] ?? 0
            let start = request.rangeStart ?? 0
            // The second course's row compares some bytes of its own URL with the file that the first one's has become.
            if floor == .max, video == Self.shared, request.rangeStart != nil, request.bytes <= 65_536 { continue }
            // The tags of nginx are made of time and size: the last 16 KiB come once more, to be compared.
            #expect(
                start >= floor - 16_384,
                "seed \(chance.seed): \(video) was asked for from \(start) after kill \(round) at \(floor)")
            if start > 0 { resumed += 1 }
        }
        // On a busy machine all kills may come before the first bytes are durable.
        let hasSome = floors.contains { $0.values.contains { $0 > 16_384 && $0 < .max } }
        if hasSome { #expect(resumed > 0, "nothing was resumed at all") }
    }
}
