import Subprocess
import SystemPackage

/// A program that tests need on the machine.
package struct Tool: Sendable {
    package var name: String
    /// The Debian package that brings it.
    package var package: String

    package static let strace = Tool(name: "strace", package: "strace")
    package static let unshare = Tool(name: "unshare", package: "util-linux")

    /// Says how to get the program.
    package struct Missing: Error, CustomStringConvertible {
        package var description: String
    }

    /// How a program ended, and what it printed on both outputs.
    package struct Ending: Sendable {
        package var isSuccess: Bool
        package var status: String
        package var output: String
    }

    package init(name: String, package: String) {
        self.name = name
        self.package = package
    }

    /// Throws how to install the program if it isn't there.
    package func require() async throws {
        do {
            _ = try await Executable.name(name).resolveExecutablePath(in: .inherit)
        } catch {
            throw Missing(description: "\(name) is missing; install it with: apt-get install \(package)")
        }
    }

    /// Runs the program to its end.
    package func run(_ arguments: [String]) async throws -> Ending { try await Self.run(.name(name), arguments) }

    /// Runs the program at a path to its end.
    package static func run(_ path: String, _ arguments: [String]) async throws -> Ending {
        try await run(.path(FilePath(path)), arguments)
    }

    private static func run(_ executable: Executable, _ arguments: [String]) async throws -> Ending {
        let result = try await Subprocess.run(
            executable, arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .string(limit: 1 << 20)
        )
        return Ending(
            isSuccess: result.terminationStatus.isSuccess, status: "\(result.terminationStatus)",
            output: result.standardOutput + result.standardError)
    }
}
