import SystemPackage
import TestSupport

extension Stage {
    /// Runs `sync` under strace, which follows all threads and processes, and writes to ``traceLog``.
    func traced(
        _ strace: [String], _ options: [String] = [], limit: Int = 60,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await traced(
            strace, command: ["sync", folder.at("catalog.yaml").string, "--json"] + options, limit: limit,
            while: direct)
    }

    func traced(
        _ strace: [String], command: [String], limit: Int = 60,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        let places = ["--library", library.string, "--state", state.string]
        return try await Program.run(
            ["strace", "-f", "-y", "-q", "-o", folder.at("strace.log").string] + strace
                + [Built.executable("coursefetch").string] + command + places,
            in: folder, limit: limit, while: direct)
    }

    /// The output of strace: process and call.
    var traceLog: [Substring] { (folder.read("strace.log") ?? "").split(separator: "\n") }
}
