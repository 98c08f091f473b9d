import Foundation
import Testing

/// The live view as text captured from a real terminal.
@Suite("The live view in tmux")
struct LiveTerminalTests {
    /// Runs `body` with the rehearsal of `active` downloads in a terminal of this size.
    private static func rehearsal(
        _ active: Int, columns: Int, rows: Int = 24, environment: String = "",
        _ body: (TmuxTerminal) async throws -> Void
    ) async throws {
        let rehearsal = BuiltProgram.folder.appendingPathComponent("live-view-rehearsal").path
        try await TmuxTerminal.run(
            "exec env TERM=screen-256color LANG=C.UTF-8 \(environment) sh -c '\(rehearsal) still \(active); sleep 60'",
            columns: columns, rows: rows, body)
    }

    private static func capture(_ active: Int, columns: Int, rows: Int = 24, environment: String = "") async throws
        -> String
    {
        var text = ""
        try await rehearsal(active, columns: columns, rows: rows, environment: environment) { terminal in
            text = try await terminal.screen { $0.contains("done, 1 failed") || $0.contains(", 1 failed") }
        }
        return text
    }

    @Test("one download, 80 columns")
    func one() async throws {
        #expect(
            try await Self.capture(1, columns: 80) == """
                ✓ Classical Mechanics/01 Kinematics/05 Über Größen und Maße.mp4  100 MiB
                ✗ phys101/kinematics/v101  Rockets: access denied (403) at
                  media.example.org/phys101/v101.mp4
                  to see the provider's answer:
                    coursefetch resolve catalog.yaml phys101/kinematics/v101
                 Position and velocity   ━────────────────    5%   200 MiB  2.24 MiB/s    1m24s
                 1 of 40 done, 1 failed  ─────────────────    1%            2.35 MiB/s   40m37s
                """)
    }

    @Test("three downloads, wide letters, a retry and a host that is waited for, 80 columns")
    func three() async throws {
        #expect(
            try await Self.capture(3, columns: 80).split(separator: "\n").suffix(5).joined(separator: "\n") == """
                 Position and velocity   ━────────────────    5%   200 MiB  2.24 MiB/s    1m24s
                 Newton's laws of moti…  again in 8s: the connection broke
                 線形代数入門：固有値…   ━━━──────────────   17%   200 MiB  2.24 MiB/s    1m14s
                 media.example.org is rate-limiting us; waiting until 23:10
                 1 of 40 done, 1 failed  ─────────────────    2%            14.1 MiB/s    7m51s
                """)
    }

    @Test("sixteen downloads, 200 columns: every column is aligned, whatever the letters")
    func sixteen() async throws {
        let lines = try await Self.capture(16, columns: 200).split(separator: "\n").map(String.init)
        #expect(lines.count == 21)
        let bars = lines.filter { $0.contains("━") || $0.contains("─") }
        #expect(bars.count == 16)
        #expect(
            lines[3] == " Position and velocity                                             " + "━━━━━"
                + String(repeating: "─", count: 81) + "    5%       11.8/200 MiB  2.24 MiB/s    1m24s")
        #expect(lines[6].hasPrefix(" 양자역학의 기초와 불확정성 원리에 대한 긴 강의 제목               ━━━━"))
        #expect(lines[7].hasSuffix("━━  100%        200/200 MiB            finishing"))
        // What a terminal would obey has become visible and harmless.
        #expect(lines[10].hasPrefix(" Escape �[31mred�[0m and bell�   "))
        #expect(lines.last?.hasPrefix(" 1 of 40 done, 1 failed    ") == true)
    }

    @Test("sixteen downloads in ten lines: the rest is one sum")
    func overflow() async throws {
        let lines = try await Self.capture(16, columns: 80, rows: 10).split(separator: "\n").map(String.init)
        #expect(lines.suffix(3)[lines.count - 3].hasPrefix(" … and 10 more "))
        #expect(lines[lines.count - 2] == " media.example.org is rate-limiting us; waiting until 23:10")
        #expect(lines.count == 10)
    }

    @Test("forty columns stay readable")
    func narrow() async throws {
        #expect(
            try await Self.capture(2, columns: 40).split(separator: "\n").suffix(3).joined(separator: "\n") == """
                 Position and veloci…    5%  2.24 MiB/s
                 Newton's laws of mo…   11%  2.24 MiB/s
                 1/40, 1 failed          2%  7.06 MiB/s
                """)
    }

    @Test("a terminal without UTF-8 gets ASCII")
    func ascii() async throws {
        let text = try await Self.capture(3, columns: 80, environment: "LANG=C LC_ALL=C")
        #expect(text.utf8.count == text.count)
        #expect(text.contains("\n Position and velocity   [>--------------]    5%   200 MiB  2.24 MiB/s    1m24s\n"))
        #expect(text.contains("+ Classical Mechanics/01 Kinematics/05 ?ber Gr??en und Ma?e.mp4  100 MiB\n"))
    }

    @Test("colours, unless NO_COLOR is set", arguments: [("", true), ("NO_COLOR=1", false)])
    func colors(environment: String, hasColors: Bool) async throws {
        try await Self.rehearsal(1, columns: 80, environment: environment) { terminal in
            _ = try await terminal.screen { $0.contains("1 failed") }
            let text = try await terminal.tell("capture-pane", "-p", "-e")
            #expect(text.contains("\u{1B}[36m━") == hasColors)
            #expect(text.contains("\u{1B}[") == hasColors)
        }
    }

    @Test("after a resize no old lines remain")
    func resizing() async throws {
        try await Self.rehearsal(6, columns: 120) { terminal in
            _ = try await terminal.screen { $0.contains("1 failed") }
            for (columns, overall) in [
                (60, " 1/40, 1 failed     "), (90, " 1 of 40 done, 1 failed    "), (45, " 1 of 40 done, 1 failed "),
                (120, " 1 of 40 done, 1 failed    "),
            ] {
                _ = try await terminal.tell("resize-window", "-x", "\(columns)", "-y", "24")
                let text = try await terminal.screen { text in
                    text.split(separator: "\n").last.map { $0.hasPrefix(overall) && $0.count > columns - 12 } ?? false
                }
                let lines = text.split(separator: "\n")
                #expect(lines.count { $0.contains("40 done") || $0.contains("/40") } == 1, "\(columns):\n\(text)")
                #expect(lines.count { $0.hasPrefix(" Position and") } == 1, "\(columns):\n\(text)")
            }
        }
    }

    @Test("Ctrl-Z restores the terminal, fg redraws, and the second Ctrl-C restores it permanently")
    func stopping() async throws {
        try await Self.rehearsal(1, columns: 80) { terminal in
            _ = try await terminal.screen { $0.contains("1 failed") }
            // In a shell with job control, which the rehearsal of the other tests doesn't need.
            let rehearsal = BuiltProgram.folder.appendingPathComponent("live-view-rehearsal").path
            _ = try await terminal.tell(
                "respawn-window", "-k", "env TERM=screen-256color LANG=C.UTF-8 PS1='$ ' bash --norc --noprofile -i")
            _ = try await terminal.screen { $0 == "$" }
            _ = try await terminal.tell("send-keys", "\(rehearsal) still 1", "Enter")
            _ = try await terminal.screen { $0.contains("1 failed") }
            _ = try await terminal.tell("send-keys", "C-z")
            let stopped = try await terminal.screen { $0.contains("Stopped") }
            #expect(stopped.contains("Stopped") && !stopped.contains("1 of 40 done"))
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "1\n")
            _ = try await terminal.tell("send-keys", "clear; fg", "Enter")
            let again = try await terminal.screen { $0.contains("1 failed") }
            #expect(again.contains("\n Position and velocity   ━─"))
            _ = try await terminal.tell("send-keys", "C-c")
            // The terminal's echo disturbs nothing but the line that it is on.
            let echoed = try await terminal.screen { $0.contains("^C") }
            #expect(echoed.contains("\n Position and velocity   ━─") && echoed.hasSuffix("40m37s"))
            _ = try await terminal.tell("send-keys", "C-c")
            _ = try await terminal.screen { !$0.contains("1 failed") }
            _ = try await terminal.tell("send-keys", "echo code $?", "Enter")
            let ended = try await terminal.screen { $0.contains("code 130") }
            #expect(ended.contains("code 130") && !ended.contains("of 40 done") && !ended.contains("Position"))
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "1\n")
        }
    }

    @Test("status --watch redraws in place, fits a narrower terminal, and leaves the table on the screen")
    func watch() async throws {
        try await Self.rehearsal(1, columns: 80) { terminal in
            _ = try await terminal.screen { $0.contains("1 failed") }
            _ = try await terminal.tell(
                "respawn-window", "-k", "env TERM=screen-256color LANG=C.UTF-8 PS1='$ ' bash --norc --noprofile -i")
            _ = try await terminal.screen { $0 == "$" }
            let state = FileManager.default.temporaryDirectory.path + "/no-state-\(UUID().uuidString)"
            let program = BuiltProgram.folder.appendingPathComponent("coursefetch").path
            _ = try await terminal.tell(
                "send-keys", "clear; \(program) status --watch --state \(state)", "Enter")
            let shown = try await terminal.screen { $0.hasSuffix("0 videos") }
            #expect(shown.contains("no sync is running") && shown.contains("To begin: coursefetch sync CATALOG"))
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "0\n")
            _ = try await terminal.tell("resize-window", "-x", "30", "-y", "24")
            let narrow = try await terminal.screen { $0.contains("Nothing yet. Begin with: cou…") }
            #expect(narrow.split(separator: "\n").count { $0.contains("no sync is running") } == 1, "\(narrow)")
            _ = try await terminal.tell("send-keys", "C-c")
            _ = try await terminal.tell("send-keys", "echo code $?", "Enter")
            let ended = try await terminal.screen { $0.contains("code 0") && $0.contains("0 videos") }
            #expect(ended.contains("\ncode 0") && ended.contains("\n0 videos"), "\(ended)")
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "1\n")
            #expect(!FileManager.default.fileExists(atPath: state), "looking makes nothing")
        }
    }

    @Test("at the end the live lines are removed, the final ones stay, and the cursor is back")
    func ending() async throws {
        try await Self.rehearsal(3, columns: 80) { terminal in
            _ = try await terminal.screen { $0.contains("1 failed") }
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "0\n")
            _ = try await terminal.tell("send-keys", "C-d")
            let text = try await terminal.screen { $0.contains("the end") }
            #expect(
                text == """
                    ✓ Classical Mechanics/01 Kinematics/05 Über Größen und Maße.mp4  100 MiB
                    ✗ phys101/kinematics/v101  Rockets: access denied (403) at
                      media.example.org/phys101/v101.mp4
                      to see the provider's answer:
                        coursefetch resolve catalog.yaml phys101/kinematics/v101
                    the end
                    """)
            #expect(try await terminal.tell("display-message", "-p", "#{cursor_flag}") == "1\n")
        }
    }
}
