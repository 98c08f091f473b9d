import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// Rounds of syncs of streams that are killed.
final class StreamKillRounds {
    /// The result of the streams.
    enum Outcome: String, CaseIterable {
        case remuxed, joined, package

        var options: [String] {
            switch self {
            case .remuxed: []
            case .joined: ["--ffmpeg", "none"]
            case .package: ["--container", "package"]
            }
        }

        /// The files of a stream, by the track whose bytes they have; nil where they aren't those that came.
        func files(_ path: String, _ fixture: StreamFixture) -> [(path: String, track: Int)]? {
            let folder = FilePath(path).removingLastComponent().string
            switch self {
            case .remuxed: return nil
            case .joined:
                return [(path, 0)]
                    + (fixture.tracks.count > 1 ? [(path.replacing(#/\.\w+$/#, with: ".en.m4a"), 1)] : [])
            case .package: return [(path, 0)] + (fixture.tracks.count > 1 ? [(folder + "/audio.m4a", 1)] : [])
            }
        }
    }

    private static let kinds: [StreamFixture.Kind] = [.rotatingKeys, .encryptedMP4, .master]

    private let outcome: Outcome
    private let stage: Stage
    private var chance: Chance
    private var fixtures: [String: StreamFixture] = [:]
    /// The durable position when each round was killed: the next segment of each track, by video.
    private var floors: [[String: [Int]]] = []
    /// The children of the killed processes.
    private let children = Recorded<ProcessTable.Entry>()

    init(_ chance: Chance, _ outcome: Outcome) throws {
        self.chance = chance
        self.outcome = outcome
        stage = try Stage()
    }

    func run(_ rounds: Int) async throws {
        var options = NginxServer.Options()
        options.streamRate = "30k"
        let nginx = try await NginxServer.start(options)
        for kind in Self.kinds {
            let fixture = try await StreamFixtures.make(kind)
            fixtures[kind.rawValue] = fixture
            try nginx.add(folder: fixture.folder, as: kind.rawValue)
        }
        try StreamSigner.install(in: stage, .path, nginx, secret: options.secret, lifetime: 1000)
        try stage.catalog(
            CatalogText(
                provider: StreamSigner.name,
                videos: Self.kinds.map { kind in
                    let file = "\(kind.rawValue)/\(fixtures[kind.rawValue]?.playlist ?? "")"
                    return .init(id: kind.rawValue, extra: ["parameters: {file: \(file)}"])
                }))
        for round in 0..<rounds {
            try await killOnce(round % 5 == 4 ? .beginning : round % 2 == 0 ? .checkpoint : .middle)
            try floors.append(recordedFloors(round))
            try await nginx.visit("/plain/round-\(round)")
        }
        let last = try await stage.sync("catalog.yaml", outcome.options)
        #expect(last.exit == 0, "seed \(chance.seed): \(last.report)")
        await nginx.stop()
        let left = try await ProcessTable.end(of: children.all)
        #expect(left.isEmpty, "seed \(chance.seed): left behind: \(left.map(\.command))")
        for (name, fixture) in fixtures {
            let row = try stage.stateCopy().rows("SELECT path FROM downloads WHERE video = '\(name)'").first
            let path = try #require(row?["path"], "\(name) isn't there")
            try await check(path, name, fixture)
        }
        let count = [.remuxed: Self.kinds.count, .joined: Self.kinds.count + 1, .package: 9][outcome]
        #expect(LibraryFiles(stage.library).paths.count == count, "seed \(chance.seed)")
        #expect(try await stage.command(["verify"]).exit == 0, "seed \(chance.seed)")
        #expect(try stage.strays() == [], "seed \(chance.seed)")
        try checkRequests(nginx.log())
    }

    private func check(_ path: String, _ name: String, _ fixture: StreamFixture) async throws {
        let place = "seed \(chance.seed): \(name)"
        guard let files = outcome.files(path, fixture) else {
            let file = StreamFile(path: stage.library.appending(path).string, name: place)
            return try await file.check(fixture, isRemuxed: true)
        }
        for file in files {
            let bytes = FileManager.default.contents(atPath: stage.library.appending(file.path).string)
            let joined = try fixture.joined(file.track)
            let isRight = bytes == Data(joined)
            #expect(isRight, "\(place): \(file.path), \(bytes?.count ?? -1) bytes instead of \(joined.count)")
        }
        if outcome == .package {
            let index = stage.library.appending(FilePath(path).removingLastComponent().string + "/index.m3u8")
            try await StreamFile(path: index.string, name: place).check(fixture)
        }
    }

    /// What a random time passes after before a kill.
    private enum Moment {
        /// The start of the process.
        case beginning
        /// The first stream on its way.
        case middle
        /// More that has become durable.
        case checkpoint
    }

    private func killOnce(_ moment: Moment) async throws {
        let latest = [.beginning: 300, .middle: 2500, .checkpoint: 900][moment] ?? 0
        let delay = Duration.milliseconds(Int.random(in: 20...latest, using: &chance))
        let stage = stage
        let before = Self.durable(stage)
        let killed = children
        let options = outcome.options + ["--segments-per-download", "2"]
        let end = try await stage.sync("catalog.yaml", options) { running in
            let pid = try await running.pid()
            if moment != .beginning {
                try await running.wait { ["download_started", "sync_finished"].contains($0.event) }
            }
            if moment == .checkpoint {
                // A machine with much else to do takes its time.
                let deadline = ContinuousClock.now + .seconds(60)
                while Self.durable(stage) <= before, kill(pid, 0) == 0, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(25))
                }
            }
            try await Task.sleep(for: delay)
            // It can't start anything between the look and the kill.
            kill(pid, SIGSTOP)
            let children = ProcessTable.now().descendants(of: pid)
            kill(pid, SIGKILL)
            // The next round doesn't wait for their ends.
            for child in children { killed.note(child) }
        }
        #expect(end.exit == 137 || end.exit == 0, "\(end.report)")
    }

    /// How many segments are durable in all, of those streams that aren't finished.
    private static func durable(_ stage: Stage) -> Int {
        // Caught in the middle of a commit, the copy can't be read.
        let streams = (try? stage.stateCopy().streams()) ?? [:]
        return streams.values.reduce(0) { $0 + $1.tracks.reduce(0) { $0 + $1.next } }
    }

    /// Reads what the state claims, and holds it against what is really there.
    private func recordedFloors(_ round: Int) throws -> [String: [Int]] {
        let state = try stage.stateCopy()
        guard state.exists, let rows = try? state.rows("SELECT id, video, state, path FROM downloads") else {
            return [:]
        }
        let streams = try state.streams()
        var floors: [String: [Int]] = [:]
        for row in rows {
            guard let video = row["video"], let fixture = fixtures[video] else { continue }
            let place = "seed \(chance.seed), round \(round), \(video)"
            if row["state"] == "finished" {
                let path = try #require(row["path"])
                #expect(stage.folder.has("library/" + path), "\(place): \(path) isn't there")
                floors[video] = fixture.tracks.map(\.segments.count)
                continue
            }
            guard let stream = streams[video] else { continue }
            #expect(stream.tracks.count == fixture.tracks.count, "\(place)")
            floors[video] = stream.tracks.map(\.next)
            // Placed by the next run, out of what ffmpeg has made.
            guard row["path"] == nil else { continue }
            for (number, track) in stream.tracks.enumerated() where track.bytes > 0 {
                let expected = Data(try fixture.joined(number, track.next))
                #expect(expected.count == track.bytes, "\(place), track \(number)")
                let name = (row["id"] ?? "") + (number == 0 ? ".part" : ".audio.part")
                let partial = FileManager.default.contents(
                    atPath: stage.library.appending(".coursefetch/partials/" + name).string)
                #expect(
                    partial?.prefix(track.bytes) == expected, "\(place), track \(number): not what the state claims")
            }
        }
        return floors
    }

    private func checkRequests(_ log: [NginxAccess]) throws {
        let marks = try floors.indices.map { round in
            try #require(log.first { $0.path == "/plain/round-\(round)" }?.connection)
        }
        var resumed = 0
        for request in log where request.path.hasPrefix("/streampath/") {
            let parts = request.path.split(separator: "/").suffix(2).map(String.init)
            guard let round = marks.lastIndex(where: { $0 < request.connection }), let fixture = fixtures[parts[0]]
            else { continue }
            for (number, track) in fixture.tracks.enumerated() {
                guard let index = track.segments.firstIndex(of: parts[1]) else { continue }
                let floor = floors[round][parts[0]]?[number] ?? 0
                if floor > 0 { resumed += 1 }
                #expect(
                    index >= floor,
                    "seed \(chance.seed): \(parts) was asked for after kill \(round), which left \(floor)")
            }
        }
        #expect(resumed > 0, "seed \(chance.seed): nothing was resumed at all")
    }
}
