import Foundation
import SystemPackage
import TestSupport

/// A window of a tmux server of its own, with a shell in it.
final class TmuxWindow: Sendable {
    private let folder: TemporaryFolder
    private let socket: String

    /// Opens it in a folder. ``close()`` ends it, and all that runs in it.
    init(in folder: TemporaryFolder) async throws {
        self.folder = folder
        socket = folder.at("tmux").string
        // The terminal is gone after ten minutes, in whatever way the tests end.
        let shell = "exec env -i HOME=\(folder.at("home").string) PATH=/usr/bin:/bin TERM=screen LANG=C.UTF-8 PS1='$ '"
        _ = try await tell(
            "new-session", "-d", "-x", "150", "-y", "40", "\(shell) timeout 600 bash --norc --noprofile -i")
        _ = try await screen { $0.hasPrefix("$") }
    }

    /// Ends it.
    func close() async throws { _ = try await tell("kill-server") }

    /// Types keys; `Enter` and the like by their names.
    func type(_ keys: String...) async throws {
        _ = try await Program.run(command("send-keys") + keys, in: folder)
    }

    /// What stands on the screen as soon as it satisfies a condition, or after a while.
    func screen(until isThere: (String) -> Bool) async throws -> String {
        var text = ""
        // Beside other tests a program takes many times as long to answer; only what hangs should reach this.
        let end = ContinuousClock.now + .seconds(90)
        while ContinuousClock.now < end {
            text = try await tell("capture-pane", "-p").replacing(#/ +(?=\n)/#, with: "")
            if isThere(text) { break }
            try await Task.sleep(for: .milliseconds(25))
        }
        return text
    }

    private func tell(_ arguments: String...) async throws -> String {
        try await Program.run(command() + arguments, in: folder).output
    }

    private func command(_ arguments: String...) -> [String] {
        ["env", "-u", "TMUX", "TMUX_TMPDIR=\(folder.path)", "tmux", "-S", socket, "-f", "/dev/null"] + arguments
    }
}
