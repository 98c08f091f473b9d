import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The streams of one test process: each is made when it is asked for first, and gone with the process.
package actor StreamFixtures {
    package static let shared = StreamFixtures()

    /// Gone at the end of the process, in whatever way that exits.
    private static let root: Result<TestFolder, any Error> = Result {
        let folder = try TestFolder()
        atexit { try? FileManager.default.removeItem(atPath: (try? StreamFixtures.root.get().path) ?? "") }
        return folder
    }

    private var made: [StreamFixture.Kind: Task<StreamFixture, any Error>] = [:]
    private var sources: Task<String, any Error>?
    private var hashed: [String: Task<FrameHashes, any Error>] = [:]

    /// The stream of a kind.
    package static func make(_ kind: StreamFixture.Kind) async throws -> StreamFixture {
        try await shared.fixture(kind)
    }

    /// The hashes of a file that doesn't change any more.
    static func hashes(of file: String) async throws -> FrameHashes { try await shared.hashes(file) }

    private func hashes(_ file: String) async throws -> FrameHashes {
        if let task = hashed[file] { return try await task.value }
        let task = Task { try await FrameHashes.of(file) }
        hashed[file] = task
        return try await task.value
    }

    private func fixture(_ kind: StreamFixture.Kind) async throws -> StreamFixture {
        if let task = made[kind] { return try await task.value }
        let sources = sources ?? Task { try await StreamRecipe.sources(in: Self.root.get()) }
        self.sources = sources
        let task = Task { try await StreamRecipe(kind: kind, root: Self.root.get(), sources: sources.value).make() }
        made[kind] = task
        return try await task.value
    }
}

/// Lines for a shell, which stops at the first that fails.
enum Script {
    static func run(_ lines: [String], in folder: String) async throws {
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-ec", lines.joined(separator: "\n")],
            workingDirectory: FilePath(folder), output: .discarded, error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else {
            throw TestServerError("a stream can't be made: \(result.standardError)")
        }
    }
}
