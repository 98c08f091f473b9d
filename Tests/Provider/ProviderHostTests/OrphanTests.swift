import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import ProviderHost

/// After a kill -9 of the host nothing is left of plugins.
@Suite struct OrphanTests {
    /// How a plugin spends its time when the host is killed.
    static let habits = [
        "idle": "",
        "busy": "while true; do sleep 0.1; done",
        "grandchild": "sleep 60 & while true; do sleep 0.1; done",
        "deaf": "trap '' TERM; (trap '' TERM; while true; do sleep 0.1; done) & while true; do sleep 0.1; done",
        "gone": "sleep 60 & exit 0",
    ]

    @Test(
        "after a kill of the host, whatever the plugin does, its process group is gone soon",
        arguments: habits.keys.sorted())
    func killed(_ habit: String) async throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            "{name: p, protocol: 1, run: [./p], environment: [SANDBOX]}", to: "plugins/p/plugin.yaml")
        try sandbox.write(
            #"""
            #!/bin/sh
            read -r line
            echo '{"id":1,"result":{"url":"https://h/"}}'
            \#(Self.habits[habit] ?? "")
            read -r line
            """#, to: "plugins/p/p", mode: 0o755)
        let probe = BundledPluginTests.products.appending("plugin-host-probe")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let result = try await Subprocess.run(
            .path(probe), arguments: ["hold", sandbox.folder.appending("plugins").string, "p", "video"],
            environment: .custom(["PATH": path, "SANDBOX": sandbox.folder.string]), input: .none, output: .sequence,
            error: .discarded
        ) { execution in
            var said = Data()
            for try await buffer in execution.standardOutput {
                buffer.withUnsafeBytes { said.append(contentsOf: $0) }
                if said.contains(0x0A) { break }
            }
            #expect(String(decoding: said, as: UTF8.self) == "ready\n")
            // The host itself and the plugin; what a plugin that has ended left behind is gone already.
            #expect(sandbox.strays().count >= (habit == "gone" ? 1 : 2))
            try execution.send(signal: .kill)
        }
        #expect(result.terminationStatus == .signaled(SIGKILL))
        // TERM at once, KILL 2 seconds later; the rest is patience with a busy machine.
        for _ in 0..<300 where !sandbox.strays().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
        #expect(sandbox.strays() == [])
    }
}
