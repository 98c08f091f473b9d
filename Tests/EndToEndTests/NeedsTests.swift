import Checkout
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("installing the test tools while another installation runs")
struct NeedsTests {
    /// An apt-get that is kept from its lock so often, by apt's own words, and the tools that `needs` takes but for tmux.
    private func stage(busy: Int, words: String) throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try folder.make("home")
        try folder.make("bin")
        for tool in [
            "sh", "env", "grep", "uname", "id", "cat", "sleep", "nginx", "ffmpeg", "openssl", "python3", "strace",
        ] {
            try folder.write("#!/bin/sh\nexit 0\n", to: "bin/\(tool)")
            let real = ["/usr/bin/", "/bin/"].map { $0 + tool }.first(where: FileManager.default.fileExists)
            if let real, !["sleep", "nginx", "ffmpeg", "openssl", "python3", "strace"].contains(tool) {
                try folder.remove("bin/\(tool)")
                try folder.link("bin/\(tool)", to: real)
            }
        }
        try folder.write("#!/bin/sh\nexec \"$@\"\n", to: "bin/sudo")
        try folder.write("#!/bin/sh\necho slept >> \"$HOME/sleeps\"\n", to: "bin/sleep")
        try folder.write(
            """
            #!/bin/sh
            echo "$@" >> "$HOME/calls"
            count=$(grep -c . "$HOME/calls")
            if [ "$count" -le \(busy) ]; then
                echo "\(words)" >&2
                exit 100
            fi
            """, to: "bin/apt-get")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.at("bin").string) {
            let path = folder.at("bin/\(name)").string
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == nil {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
        }
        return folder
    }

    private func needs(_ folder: TemporaryFolder, patience: Int? = nil) async throws -> Outcome {
        let script = Checkout.path("contrib/needs")
        var command = ["env", "PATH=\(folder.at("bin").string)"]
        if let patience { command.append("NEEDS_PATIENCE=\(patience)") }
        return try await Program.run(command + ["/bin/sh", script, "test"], in: folder)
    }

    private static let lock = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"

    @Test("it waits for the locks of a running package manager, and says so once")
    func busy() async throws {
        let folder = try stage(busy: 3, words: Self.lock)
        let outcome = try await needs(folder)
        #expect(outcome.exit == 0, "\(outcome.error)")
        #expect(outcome.error.contains("waiting for it, at most 900 s"), "\(outcome.error)")
        #expect(outcome.error.components(separatedBy: "/var/lib/apt/lists/lock").count == 2, "\(outcome.error)")
        let calls = (folder.read("home/calls") ?? "").split(separator: "\n")
        #expect(calls.count == 5 && calls.prefix(4).allSatisfy { $0.contains("update") })
        #expect(calls.last?.contains("install") == true && calls.last?.contains("tmux") == true, "\(calls)")
        #expect((folder.read("home/sleeps") ?? "").split(separator: "\n").count == 3)
    }

    @Test("the wait is bounded, and only for real locks")
    func bounded() async throws {
        let held = try stage(busy: 1000, words: Self.lock)
        let outcome = try await needs(held, patience: 4)
        #expect(outcome.exit != 0 && outcome.error.contains("gave up after 4 s"), "\(outcome.error)")
        let broken = try stage(busy: 1000, words: "E: Unable to locate package tmux")
        let failed = try await needs(broken)
        #expect(failed.exit != 0 && failed.error.contains("Unable to locate"), "\(failed.error)")
        #expect(!broken.has("home/sleeps"))
    }
}
