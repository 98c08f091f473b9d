import Foundation
import SystemPackage
import TestSupport

/// One test's surroundings: a folder with catalogs, plugins, a state and a library of its own, and nothing of the
/// machine's user in it.
final class Stage: Sendable {
    let folder = TemporaryFolder()

    init() throws {
        try folder.make("home")
    }

    var library: FilePath { folder.at("library") }
    var state: FilePath { folder.at("state") }

    /// Writes a catalog; its courses stand as they are in ``CatalogText``.
    func catalog(_ catalog: CatalogText, as name: String = "catalog.yaml") throws {
        try folder.write(catalog.text, to: name)
    }

    /// Writes the secret for signed links of a server to the file that catalogs name as `secret_file: secrets`.
    func linkSecret(_ secret: String, for base: String) throws {
        let file = "home/.config/coursefetch/secrets"
        try folder.write("\(base) \(secret)\n", to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.at(file).string)
    }

    /// Installs a plugin of one shell script, found with the options that ``sync(_:_:limit:while:)`` gives.
    ///
    /// - Parameter manifest: more lines of its manifest.
    func plugin(
        _ name: String, concurrency: Int = 8, timeout: Int = 30, manifest: [String] = [],
        parameters: String = "{type: object}", script: String
    ) throws {
        try folder.write(
            """
            name: \(name)
            version: 1.0.0
            protocol: 1
            run: [./plugin]
            concurrency: \(concurrency)
            timeout: \(timeout)
            parameters: \(parameters)
            \(manifest.joined(separator: "\n"))
            """, to: "plugins/\(name)/plugin.yaml")
        try folder.write(script, to: "plugins/\(name)/plugin")
        // The umask must not decide what discovery thinks of it.
        for (path, mode) in [
            ("", 0o755), ("/\(name)", 0o755), ("/\(name)/plugin", 0o755), ("/\(name)/plugin.yaml", 0o644),
        ] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: folder.at("plugins" + path).string)
        }
    }

    /// Installs a plugin that fills `{id}` and `{n}`, the number of the request for that video from 1, into the
    /// parameter `url`, or into the n-th or last of `urls`, merges the parameter `answer` into its answer, and keeps all
    /// requests in a file.
    func recordingPlugin(_ name: String = "recorder") throws {
        try plugin(
            name,
            script: #"""
                #!/bin/sh
                exec 2>>errors
                echo start >> starts
                tee -a requests | jq -nc --unbuffered '
                  foreach inputs as $r ({}; .[$r.params.video.id // ""] += 1;
                    if $r.method != "resolve" then {id: $r.id, error: {code: -32601, message: "unknown"}} else
                    .[$r.params.video.id] as $n | $r.params.video as $v
                    | ($v.parameters.urls // [$v.parameters.url]) as $urls
                    | {id: $r.id, result: ({url: ($urls[([$n, ($urls | length)] | min) - 1]
                        | gsub("\\{id\\}"; $v.id | @uri) | gsub("\\{n\\}"; $n | tostring))}
                        + ($v.parameters.answer // {}))} end)'
                """#)
    }

    /// The requests that the recording plugin got, in order.
    func requests(of name: String = "recorder") throws -> [PluginRequest] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let lines = (folder.read("plugins/\(name)/requests") ?? "").split(separator: "\n")
        return try lines.filter { $0.contains(#""method":"resolve""#) }.map {
            try decoder.decode(PluginRequest.self, from: Data($0.utf8))
        }
    }

    /// How often the recording plugin was started.
    func starts(of name: String = "recorder") -> Int {
        (folder.read("plugins/\(name)/starts") ?? "").split(separator: "\n").count
    }

    /// Runs `coursefetch sync --json` on a catalog.
    func sync(
        _ catalog: String = "catalog.yaml", _ options: [String] = [], limit: Int = 60,
        library: FilePath? = nil, state: FilePath? = nil,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        try await run(
            ["sync", folder.at(catalog).string, "--json"] + options, limit: limit, library: library, state: state,
            while: direct)
    }

    /// Runs a command of coursefetch that takes places and plugins.
    func run(
        _ arguments: [String], limit: Int = 60, library: FilePath? = nil, state: FilePath? = nil,
        while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
    ) async throws -> Outcome {
        var arguments = arguments
        arguments += ["--library", (library ?? self.library).string, "--state", (state ?? self.state).string]
        if folder.has("plugins") { arguments += ["--plugins", folder.at("plugins").string] }
        return try await Program.coursefetch(arguments, in: folder, limit: limit, while: direct)
    }

    /// Runs a command that takes places, and no plugins.
    func command(_ arguments: [String], limit: Int = 60) async throws -> Outcome {
        try await Program.coursefetch(
            arguments + ["--library", library.string, "--state", state.string], in: folder, limit: limit)
    }

    /// The current state.
    func stateCopy(_ state: FilePath? = nil) throws -> StateCopy { try StateCopy(state ?? self.state) }

    /// Waits until the state has such a download.
    func waitForRow(_ condition: String) async throws {
        for _ in 0..<600 {
            // Caught in the middle of a commit, the copy can't be read.
            let rows = try? stateCopy().rows("SELECT video FROM downloads WHERE \(condition)")
            if rows?.isEmpty == false { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw TestFailure("no download becomes: \(condition)")
    }

    /// Files that must not exist when no sync is running and the last one has ended regularly.
    func strays() throws -> [String] {
        var strays = folder.names().filter {
            $0.contains(".coursefetch/moving/") || $0.hasSuffix(".part")
        }
        strays += ProcessTable.now().within(folder.path).map { "process \($0.pid): \($0.command)" }
        let state = try stateCopy()
        strays += try state.rows("PRAGMA integrity_check").compactMap { row in
            row["integrity_check"].flatMap { $0 == "ok" ? nil : $0 }
        }
        strays += try state.rows("SELECT video FROM downloads WHERE state = 'active' OR is_placing").map {
            "row of \($0["video"] ?? "?")"
        }
        strays += try state.rows("SELECT id FROM moves").map { "move \($0["id"] ?? "?")" }
        return strays
    }
}

/// The request that a plugin got.
struct PluginRequest: Decodable {
    struct Parameters: Decodable {
        var video: Video
        var previous: Previous?
        var now: String
    }

    struct Video: Decodable {
        var id: String
    }

    struct Previous: Decodable, Equatable {
        var reason: String
        var status: Int?
        var bytes: Int?
    }

    var id: Int
    var method: String
    var params: Parameters
}
