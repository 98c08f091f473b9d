import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A program that was built beside these tests.
struct BuiltProgram {
    /// How a run ended.
    struct Ending: Sendable, Equatable {
        var code: Int32
        var output: String
        var diagnostics: String
    }

    /// The folder of the test bundle, where the executables lie too.
    static var folder: URL {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: link ?? CommandLine.arguments[0]).deletingLastPathComponent()
    }

    /// Runs a program to its end, with an empty folder as its home and working directory; with `shell`, runs that script
    /// instead, whose `$0` is the program.
    static func run(
        _ name: String, _ arguments: [String], environment: [String: String] = [:], shell: String? = nil
    ) async throws -> Ending {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("home-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let program = folder.appendingPathComponent(name).path
        return try await run(
            shell == nil ? program : "/bin/sh", (shell.map { ["-c", $0, program] } ?? []) + arguments,
            environment: ["HOME": home.path].merging(environment) { $1 }, folder: home.path)
    }

    /// Runs any program to its end.
    static func run(
        _ path: String, _ arguments: [String], environment: [String: String], folder: String
    ) async throws -> Ending {
        let usual = ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
        let variables = usual.merging(environment) { $1 }.map { (Environment.Key(stringLiteral: $0), $1) }
        let result = try await Subprocess.run(
            .path(FilePath(path)), arguments: Arguments(arguments),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), workingDirectory: FilePath(folder),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        let code: Int32 =
            switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let number): 128 + number
            }
        return Ending(code: code, output: result.standardOutput, diagnostics: result.standardError)
    }
}
