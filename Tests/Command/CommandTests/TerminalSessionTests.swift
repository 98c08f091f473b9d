import Foundation
import Testing

/// What commands do only where somebody sits at a terminal.
@Suite("The built program at a terminal")
struct TerminalSessionTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("terminal-\(UUID().uuidString)")
    private var program: String { BuiltProgram.folder.appendingPathComponent("coursefetch").path }
    private var environment: String {
        let home = folder.path
        return "env HOME=\(home) XDG_CONFIG_HOME=\(home)/config XDG_STATE_HOME=\(home)/state LANG=C.UTF-8 "
    }

    private func written(_ name: String) -> String {
        (try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)) ?? ""
    }

    @Test("init asks three questions, and takes Enter for the usual answer")
    func questions() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await TmuxTerminal.run(
            "exec sh -c '\(environment) \(program) init; echo exit $?; sleep 600'", columns: 200
        ) { terminal in
            for (question, answer) in [
                ("or a provider's name:", "https://127.0.0.1:9/o/lens.mp4"),
                ("Title of the course [My Course]:", "Optics"), ("Folder for the videos [", ""),
            ] {
                let screen = try await terminal.screen { $0.contains(question) }
                #expect(screen.contains(question), "\(screen)")
                try await terminal.type(answer)
            }
            let screen = try await terminal.screen { $0.contains("exit ") }
            #expect(screen.contains("exit 0"), "\(screen)")
        }
        #expect(written("config/coursefetch/catalog.yaml").contains("url: \"https://127.0.0.1:9/o/{id}.mp4\""))
        #expect(written("config/coursefetch/config.yaml").contains("catalogs: [\"catalog.yaml\"]"))
    }

    @Test("a sync at a terminal tries again what failed before its time, one without a terminal doesn't")
    func retries() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Nobody listens there.
        let catalog = """
            version: 1
            courses: [{id: c, provider: direct, parameters: {url: 'http://127.0.0.1:9/{id}.mp4'}, videos: [v]}]
            """
        try catalog.write(to: folder.appendingPathComponent("c.yaml"), atomically: true, encoding: .utf8)
        let sync = "\(environment) \(program) sync \(folder.path)/c.yaml --retries 1"
        try await TmuxTerminal.run(
            "exec sh -c '\(sync) < /dev/null > \(folder.path)/1 2>&1; \(sync) < /dev/null > \(folder.path)/2 2>&1; "
                + "\(sync); echo exit $?; sleep 600'", columns: 200
        ) { terminal in
            let screen = try await terminal.screen { $0.contains("exit 1\n") || $0.hasSuffix("exit 1") }
            #expect(screen.contains("'c/*/v': can't connect to 127.0.0.1:9"), "\(screen)")
        }
        #expect(written("1").contains("'c/*/v': can't connect to 127.0.0.1:9"), "\(written("1"))")
        #expect(written("2").contains("nothing done; 1 failed earlier"), "\(written("2"))")
    }
}
