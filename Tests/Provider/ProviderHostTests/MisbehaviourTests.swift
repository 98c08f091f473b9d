import Foundation
import ProviderKit
import SystemPackage
import Testing

@testable import ProviderHost

/// Plugins that do what they mustn't. Each costs its own requests and nothing else.
@Suite struct MisbehaviourTests {
    /// A misbehaviour that affects one video only, with its message.
    struct Oddity: CustomTestStringConvertible {
        var video: String
        var reason: String
        var timeout: Duration = .seconds(120)
        var testDescription: String { video }
    }

    static let oddities = [
        Oddity(video: "exit", reason: "it ended with exit status 3"),
        Oddity(video: "segv", reason: "it was ended by signal 11"),
        Oddity(video: "hang", reason: "it didn't answer within 3 s", timeout: .seconds(3)),
        Oddity(
            video: "garbage", reason: "it wrote a line that isn't JSON: \"Hello, world\"; stdout is for answers only"),
        Oddity(video: "array", reason: "it wrote a line that is an array, not an object"),
        Oddity(video: "blank", reason: "it wrote a line that isn't JSON: it is empty"),
        Oddity(video: "utf16", reason: "it wrote a line that isn't UTF-8"),
        Oddity(video: "latin1", reason: "it wrote a line that isn't UTF-8"),
        Oddity(video: "huge", reason: "it wrote a line of more than 1 MiB"),
        Oddity(video: "wrongid", reason: "it answered request 1003, which was never sent"),
        Oddity(video: "textid", reason: "it answered without a request id"),
        Oddity(
            video: "noid", reason: "it answered without a request id: it answered an error without a kind: what?"
        ),
        Oddity(video: "stdout", reason: "it closed its standard output"),
        Oddity(video: "orphan", reason: "it ended with exit status 4"),
        Oddity(video: "flood", reason: "it wrote more than 64 MiB to standard error"),
    ]

    @Test("one video that breaks the plugin fails alone; the others are answered", arguments: oddities)
    func poison(_ oddity: Oddity) async throws {
        let sandbox = try Sandbox()
        let plugin = try sandbox.python(OddPlugin.script, concurrency: 4, timeout: oddity.timeout)
        try await sandbox.run(plugin, timeouts: .init(afterEndOfInput: .seconds(1), afterTerminate: .milliseconds(500)))
        {
            provider in
            #expect(await url(provider, "a") == "https://media.example.org/a")
            let error = try #require(await failure(provider, .video(oddity.video)))
            #expect(error.kind == .pluginFault)
            #expect(error.message.hasPrefix("plugin odd failed for this request: \(oddity.reason)"), "\(error.message)")
            #expect(await url(provider, "b") == "https://media.example.org/b")
            #expect(provider.brokenReason == nil)
        }
    }

    @Test(
        "of several in flight only the one that breaks it fails, the rest are asked again",
        arguments: ["exit", "garbage"])
    func poisonAmongOthers(_ kind: String) async throws {
        let sandbox = try Sandbox()
        let plugin = try sandbox.python(OddPlugin.script, concurrency: 8)
        try await sandbox.run(plugin) { provider in
            let outcomes = await withTaskGroup(of: (String, ProviderError?).self) { group in
                for index in 0..<40 {
                    let id = index == 5 ? kind : "v-\(index)"
                    group.addTask { (id, await failure(provider, .video(id))) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(outcomes.count == 1)
            #expect(outcomes[kind]?.kind == .pluginFault)
        }
    }

    @Test("a plugin that answers twice is restarted, both answers count once")
    func answersTwice() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            #expect(await url(provider, "twice") == "https://media.example.org/twice")
            #expect(await url(provider, "b") == "https://media.example.org/b")
            let said = #/warning: plugin odd restarted: it answered request \d twice/#
            #expect(sandbox.log.lines.contains { $0.wholeMatch(of: said) != nil })
        }
    }

    @Test("a plugin that ends after each answer is started anew for each")
    func oneShot() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            for index in 0..<4 {
                let url = try await provider.resolve(.video("once-\(index)")).url
                #expect(url == "https://media.example.org/once-\(index)")
            }
        }
    }

    @Test("one that answers wrongly and then lingers is soon given up, with few processes of it at a time")
    func lingering() async throws {
        let sandbox = try Sandbox()
        let timeouts = PluginTimeouts(afterEndOfInput: .milliseconds(200), afterTerminate: .milliseconds(300))
        try await sandbox.run(try sandbox.python(OddPlugin.script, concurrency: 2), timeouts: timeouts) { provider in
            var most = 0
            for index in 0..<20 {
                let error = await failure(provider, .video("nothing-\(index)"))
                #expect(error?.kind == .pluginFault || error?.kind == .providerFailed)
                most = max(most, sandbox.strays().count)
            }
            #expect(most <= Supervision.leavingBound + 1)
            #expect(provider.brokenReason == "its answer has no 'result.url'")
        }
    }

    @Test("with good answers between each wrong one costs its video, and no more processes run at a time")
    func lingeringNowAndThen() async throws {
        let sandbox = try Sandbox()
        let timeouts = PluginTimeouts(afterEndOfInput: .milliseconds(50), afterTerminate: .milliseconds(50))
        try await sandbox.run(try sandbox.python(OddPlugin.script), timeouts: timeouts) { provider in
            for index in 0..<6 {
                #expect(await failure(provider, .video("nothing-\(index)"))?.kind == .pluginFault)
                #expect(sandbox.strays().count <= Supervision.leavingBound + 1)
                #expect(await url(provider, "a") == "https://media.example.org/a")
            }
        }
    }

    @Test(
        "three videos that break it without an answer between: everything fails, with its last output, and stays failed"
    )
    func outOfOrder() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script, concurrency: 3)) { provider in
            let errors = await withTaskGroup(of: ProviderError?.self) { group in
                for index in 0..<12 {
                    group.addTask {
                        await failure(provider, .video("words-\(index)", credentials: ["password": "s3cr3t"]))
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            let message = """
                plugin odd doesn't work: it ended with exit status 1; its stderr: before the end | \
                token <redacted> at https://media.example.org/a?…
                """
            #expect(errors.count == 12)
            #expect(errors.allSatisfy { $0 == ProviderError(.providerFailed, message) }, "\(errors)")
            #expect(await failure(provider, .video("a")) == ProviderError(.providerFailed, message))
            #expect(provider.brokenReason?.hasPrefix("it ended with exit status 1") == true)
        }
        #expect(!sandbox.log.lines.joined().contains("s3cr3t"))
    }

    @Test("a plugin that closed its standard input doesn't end the host")
    func closedInput() async throws {
        let sandbox = try Sandbox()
        // Enough for the interpreter to start on a busy machine: the good requests must never be out of time.
        let plugin = try sandbox.python(OddPlugin.script, concurrency: 2, timeout: .seconds(10))
        try await sandbox.run(plugin) { provider in
            async let first = failure(provider, .video("stdin"))
            // Keep writing until the pipe breaks: the second request goes out only after the first was read.
            var others: [ProviderError?] = []
            for _ in 0..<3 { others.append(await failure(provider, .video("a"))) }
            let error = try #require(await first)
            #expect(error.kind == .pluginFault || error.kind == .providerFailed)
            #expect(others.allSatisfy { $0 == nil || $0?.kind == .providerFailed }, "\(others)")
        }
    }

    @Test("a flood of standard error within the bound is drained, and few lines of it are logged")
    func chatter() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
            _ = try await provider.resolve(.video("chatty"))
        }
        #expect((200...400).contains(sandbox.log.lines.filter { $0.contains("chatter") }.count))
        #expect(sandbox.log.lines.contains { $0.contains("lines left out") })
    }

    @Test("a plugin that leaves a grandchild or ignores TERM is gone after the end", arguments: ["grandchild", "deaf"])
    func nothingIsLeft(_ kind: String) async throws {
        let sandbox = try Sandbox()
        let timeouts = PluginTimeouts(afterEndOfInput: .milliseconds(200), afterTerminate: .milliseconds(300))
        try await sandbox.run(try sandbox.python(OddPlugin.script), timeouts: timeouts) { provider in
            #expect(await url(provider, kind) == "https://media.example.org/\(kind)")
            #expect(!sandbox.strays().isEmpty)
        }
        #expect(sandbox.strays().isEmpty)
    }

    @Test("a process that moves to another session, which is allowed, doesn't delay the end")
    func escaped() async throws {
        let sandbox = try Sandbox()
        var escaped: pid_t = 0
        await #expect(throws: Sandbox.Leftover.self) {
            try await sandbox.run(try sandbox.python(OddPlugin.script)) { provider in
                escaped = pid_t(try await provider.resolve(.video("daemon")).size ?? 0)
            }
        }
        // The one that was ended may take a moment to go.
        for _ in 0..<250 where sandbox.strays() != ["\(escaped)"] { try await Task.sleep(for: .milliseconds(20)) }
        #expect(sandbox.strays() == ["\(escaped)"])
        if escaped > 1 { kill(escaped, SIGKILL) }
    }

    @Test("a program that can't be started breaks the provider at once")
    func cannotStart() async throws {
        let sandbox = try Sandbox()
        let text = try sandbox.write("no program", to: "text", mode: 0o755)
        let script = try sandbox.write("#!/no/such/interpreter\n", to: "script", mode: 0o755)
        for (program, reason) in [
            (text, "\(text) can't be"), (script, "\(script) can't be"),
            ("/no/such/program", "/no/such/program can't be"),
        ] {
            try await sandbox.run(try sandbox.plugin(program)) { provider in
                let error = try #require(await failure(provider, .video("a")))
                #expect(error.kind == .providerFailed)
                #expect(error.message.hasPrefix("plugin odd doesn't work: \(reason)"), "\(error.message)")
            }
        }
    }

    @Test("a script whose command is missing breaks the provider at once, with the shell's message")
    func missingCommand() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.shell("exec no-such-command-here")) { provider in
            let error = try #require(await failure(provider, .video("a")))
            #expect(error.kind == .providerFailed)
            #expect(error.message.contains("exit status 127"))
            #expect(error.message.contains("no-such-command-here: not found"))
        }
    }
}
