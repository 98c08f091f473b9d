import Foundation
import Subprocess
import Synchronization
import SystemPackage
import TestSupport

/// Runs programs so that nothing of them survives a test: with a time limit that holds even if the tests are killed,
/// their outputs in files, which never fill up a pipe.
enum Program {
    private static let count = Atomic(0)

    /// Runs the built coursefetch to its end.
    static func coursefetch(
        _ arguments: [String], in folder: TemporaryFolder, limit: Int = 60,
        environment: [Environment.Key: String] = [:],
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await run(
            [Built.executable("coursefetch").string] + arguments, in: folder, limit: limit, environment: environment,
            while: direct)
    }

    /// Runs a program in a folder to its end, while `direct` may look at it and signal it.
    ///
    /// - Parameter limit: seconds after which it is killed.
    static func run(
        _ command: [String], in folder: TemporaryFolder, limit: Int = 60, environment: [Environment.Key: String] = [:],
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let name = "run-\(count.add(1, ordering: .relaxed).newValue)"
        let running = RunningProgram(folder: folder, name: name)
        let script = #"echo $$ > "$0.pid.new" && mv "$0.pid.new" "$0.pid" && exec "$@" > "$0.out" 2> "$0.err""#
        let arguments = ["-s", "KILL", "\(limit)", "sh", "-c", script, folder.at(name).string] + command
        var surroundings: [Environment.Key: String] = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": folder.at("home").string,
            "LANG": "C.UTF-8", "TZ": "UTC",
        ]
        surroundings.merge(environment) { $1 }
        let begun = ContinuousClock.now
        var options = PlatformOptions()
        options.teardownSequence = []
        async let ending = Subprocess.run(
            .name("timeout"), arguments: Arguments(arguments), environment: .custom(surroundings),
            workingDirectory: folder.path, platformOptions: options, output: .discarded, error: .discarded)
        try await direct(running)
        let status = try await ending.terminationStatus
        let exit: Int32 =
            switch status {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return try Outcome(exit: exit, running: running, seconds: (ContinuousClock.now - begun) / .seconds(1))
    }
}

/// A program that may still be running.
struct RunningProgram: Sendable {
    let folder: TemporaryFolder
    let name: String

    var output: String { folder.read(name + ".out") ?? "" }

    /// The events so far; a line that is being written doesn't count.
    var events: [Event] {
        let output = output
        guard let end = output.lastIndex(of: "\n") else { return [] }
        return (try? Event.all(in: String(output[...end]))) ?? []
    }

    /// The number of the process itself; waits for its start.
    func pid() async throws -> Int32 {
        for _ in 0..<2000 {
            if let text = folder.read(name + ".pid"),
                let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
            {
                return pid
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw TestFailure("it doesn't start")
    }

    /// Waits for an event, at most `limit`.
    func wait(_ limit: Duration = .seconds(30), for condition: (Event) -> Bool) async throws {
        let end = ContinuousClock.now + limit
        while !events.contains(where: condition) {
            guard ContinuousClock.now < end else { throw TestFailure("the event doesn't come: \(output.suffix(2000))") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Sends it a signal.
    func signal(_ number: Int32) async throws { kill(try await pid(), number) }
}

/// How a program ended, and what it printed.
struct Outcome: Sendable {
    /// The exit code; 128 and the signal's number if it was killed.
    var exit: Int32
    var output: String
    var error: String
    var seconds: Double
    /// Where `--json` was given.
    var events: [Event]

    init(exit: Int32, running: RunningProgram, seconds: Double) throws {
        self.exit = exit
        self.seconds = seconds
        output = running.output
        error = running.folder.read(running.name + ".err") ?? ""
        // What was killed may have written half a line.
        events = output.hasPrefix("{\"event\":") ? exit > 128 ? running.events : try Event.all(in: output) : []
    }

    func events(_ name: String, of video: String? = nil) -> [Event] {
        events.filter { $0.event == name && (video == nil || $0.video == video) }
    }

    /// The last event of `sync --json`.
    var summary: Event? { events.last.flatMap { $0.event == "sync_finished" ? $0 : nil } }

    /// For the messages of failing expectations.
    var report: String {
        let told = events.filter { !["progress", "resolved", "download_started"].contains($0.event) }.suffix(30)
        return "exit \(exit) after \(seconds) s\n\(error.suffix(3000))\n" + told.map(\.text).joined(separator: "\n")
    }
}

/// Why a test can't go on.
struct TestFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
