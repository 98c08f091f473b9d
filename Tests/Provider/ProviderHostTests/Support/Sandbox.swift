import Foundation
import Logging
import ProviderKit
import Synchronization
import SystemPackage

@testable import ProviderHost

/// A folder of its own for one test, with plugins that the test writes, and what they logged.
///
/// Every process that is started from it bears a mark in its environment, by which ``strays()`` finds it.
final class Sandbox: Sendable {
    let folder: FilePath
    let log = CapturedLog()

    init() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "coursefetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        // The umask must not decide what discovery thinks of it.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path.path)
        folder = FilePath(path.path)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    /// Writes a file, and the folders above it.
    @discardableResult
    func write(_ text: String, to path: String, mode: Int = 0o644) throws -> FilePath {
        let file = folder.appending(path)
        let above = file.removingLastComponent().string
        if !FileManager.default.fileExists(atPath: above) {
            try FileManager.default.createDirectory(
                atPath: above, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }
        try Data(text.utf8).write(to: URL(filePath: file.string))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.string)
        return file
    }

    /// A plugin of one Python script.
    func python(_ script: String, concurrency: Int = 1, timeout: Duration = .seconds(30)) throws -> Plugin {
        let file = try write(script, to: "python/plugin.py")
        return try plugin(program("python3"), ["-SE", file.string], concurrency: concurrency, timeout: timeout)
    }

    /// A plugin of one shell script.
    func shell(_ script: String, concurrency: Int = 1, timeout: Duration = .seconds(30)) throws -> Plugin {
        let file = try write(script, to: "shell/plugin.sh")
        return try plugin("/bin/sh", [file.string], concurrency: concurrency, timeout: timeout)
    }

    /// A plugin that is any executable.
    func plugin(
        _ executable: FilePath, _ arguments: [String] = [], concurrency: Int = 1, timeout: Duration = .seconds(30)
    ) throws -> Plugin {
        let manifest = Manifest(
            name: "odd", run: [executable.string], methods: ["resolve", "list", "login"], ignoresCourse: false,
            concurrency: concurrency, timeout: timeout, parameters: .anything, credentials: [], environment: [])
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let launch = PluginLaunch(
            executable: executable, arguments: arguments,
            environment: ["PATH": path, "HOME": folder.string, "SANDBOX": folder.string], folder: folder)
        return Plugin(manifest: manifest, folder: folder, launch: launch)
    }

    /// Gives a provider of `plugin` to `body` and shuts it down afterwards. Nothing of it may be left then.
    @discardableResult
    func run<Result>(
        _ plugin: Plugin, timeouts: PluginTimeouts = PluginTimeouts(), level: Logger.Level = .debug,
        dataFolder: String? = nil, _ body: (PluginProvider) async throws -> Result
    ) async throws -> Result {
        await Crowd.processes.enter()
        defer { Task { await Crowd.processes.leave() } }
        let watchdog = OrphanWatchdog()
        let logger = Logger(label: "test") { _ in CapturingHandler(captured: self.log, logLevel: level) }
        let provider = PluginProvider(
            plugin: plugin, dataFolder: dataFolder, logger: logger, watchdog: watchdog, timeouts: timeouts)
        do {
            let result = try await body(provider)
            await provider.shutDown()
            await watchdog.close()
            try await checkNothingIsLeft()
            return result
        } catch {
            await provider.shutDown()
            await watchdog.close()
            throw error
        }
    }

    struct Leftover: Error {
        var processes: [String]
    }

    /// A process that was sent KILL is gone in a moment, not at once.
    func checkNothingIsLeft() async throws {
        var strays = strays()
        for _ in 0..<200 where !strays.isEmpty {
            try await Task.sleep(for: .milliseconds(10))
            strays = self.strays()
        }
        if !strays.isEmpty { throw Leftover(processes: strays) }
    }

    /// The processes of this sandbox that still run, as Linux tells them.
    func strays() -> [String] {
        let mark = Data("SANDBOX=\(folder)\0".utf8)
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { Int($0) != nil }.filter { process in
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
            return environment.range(of: mark) != nil
        }
    }

    /// The path of a program on PATH.
    func program(_ name: String) throws -> FilePath {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        for folder in path.split(separator: ":") {
            let file = FilePath(String(folder)).appending(name)
            if FileManager.default.isExecutableFile(atPath: file.string) { return file }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
}

/// Lets few in at a time: tests that start processes by the dozen would be measuring the machine.
private actor Crowd {
    static let processes = Crowd(limit: 3)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int) {
        free = limit
    }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// A log that a test can read.
final class CapturedLog: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    func add(_ line: String) {
        kept.withLock { $0.append(line) }
    }
}

/// Writes what is logged to a ``CapturedLog``.
private struct CapturingHandler: LogHandler {
    let captured: CapturedLog
    var metadata = Logger.Metadata()
    var logLevel: Logger.Level

    func log(event: LogEvent) {
        captured.add("\(event.level): \(event.message)")
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
}

extension ResolveRequest {
    /// A request for the video with this id.
    static func video(
        _ id: String, _ parameters: [String: JSONValue] = [:], credentials: JSONValue? = nil,
        now: Date = Date(timeIntervalSince1970: 1_795_000_000), previous: Previous? = nil
    ) -> ResolveRequest {
        ResolveRequest(
            user: "anna", now: now, credentials: credentials.map { Secret($0) },
            video: Video(id: id, parameters: parameters), course: Place(id: "course"), chapter: Place(id: "chapter"),
            previous: previous)
    }
}

/// The error that `provider` answers to one video, nil if it resolves.
func failure(_ provider: some Provider, _ request: ResolveRequest) async -> ProviderError? {
    do {
        _ = try await provider.resolve(request)
        return nil
    } catch {
        return error
    }
}

/// The URL that `provider` answers to one video, else the error as text.
func url(_ provider: some Provider, _ id: String) async -> String {
    do {
        return try await provider.resolve(.video(id)).url
    } catch {
        return "\(error)"
    }
}
