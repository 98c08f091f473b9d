import Foundation
import Testing

/// A terminal: a tmux server of its own, with one window.
struct TmuxTerminal {
    private static let tmux = ["/usr/bin/tmux", "/opt/homebrew/bin/tmux", "/usr/local/bin/tmux"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let program: String
    let socket: String

    /// Runs `body` with a command of the shell in a terminal of this size.
    static func run(
        _ command: String, columns: Int, rows: Int = 24, _ body: (TmuxTerminal) async throws -> Void
    ) async throws {
        let program = try #require(tmux, "tmux is missing; install it with: apt-get install tmux, or brew install tmux")
        let terminal = TmuxTerminal(program: program, socket: "coursefetch-\(UUID().uuidString)")
        _ = try await terminal.tell("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command)
        do {
            try await body(terminal)
        } catch {
            _ = try? await terminal.tell("kill-server")
            throw error
        }
        _ = try? await terminal.tell("kill-server")
    }

    func tell(_ arguments: String...) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.path
        return try await BuiltProgram.run(
            program, ["-L", socket, "-f", "/dev/null"] + arguments,
            environment: ["HOME": folder, "TERM": "xterm", "TMUX_TMPDIR": folder], folder: folder
        ).output
    }

    /// Types a line.
    func type(_ line: String) async throws {
        _ = try await tell("send-keys", "-l", line)
        _ = try await tell("send-keys", "Enter")
    }

    /// What stands on the screen as soon as it satisfies a condition, without the blanks at the ends of lines.
    func screen(until isThere: (String) -> Bool) async throws -> String {
        var text = ""
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            text = try await tell("capture-pane", "-p").replacing(#/ +(?=\n)/#, with: "")
            while text.last == "\n" { text.removeLast() }
            if isThere(text) { return text }
            try await Task.sleep(for: .milliseconds(20))
        }
        return text
    }
}
