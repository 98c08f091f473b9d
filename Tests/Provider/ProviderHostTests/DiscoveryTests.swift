import FileSystem
import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import ProviderHost

/// Where plugins are found, and which are refused.
@Suite struct DiscoveryTests {
    private func add(
        _ sandbox: Sandbox, _ path: String, name: String, run: String = "./tool", manifestMode: Int = 0o644,
        toolMode: Int = 0o755
    ) throws {
        try sandbox.write("{name: \(name), protocol: 1, run: [\(run)]}", to: "\(path)/plugin.yaml", mode: manifestMode)
        try sandbox.write("#!/bin/sh\n", to: "\(path)/tool", mode: toolMode)
    }

    private func discover(
        _ sandbox: Sandbox, extra: [String] = [], environment: [String: String] = [:], executable: String = "none/bin/x"
    ) -> PluginRegistry {
        PluginRegistry.discover(
            extraFolders: extra.map { sandbox.folder.appending($0) }, environment: environment,
            executable: sandbox.folder.appending(executable))
    }

    @Test("every folder of the protocol is searched; of equal names the first wins")
    func places() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        for (place, own) in [
            ("extra", "a"), ("listed1", "b"), ("listed2", "c"), ("data/coursefetch/plugins", "d"),
            ("prefix/lib/coursefetch/plugins", "e"), ("prefix/Plugins", "f"),
        ] {
            try add(sandbox, "\(place)/common", name: "common")
            try add(sandbox, "\(place)/own-\(own)", name: own)
        }
        try sandbox.write("", to: "prefix/Package.swift")
        try sandbox.write("", to: "prefix/bin/coursefetch", mode: 0o755)
        var environment = [
            // A folder that is named twice is one place.
            "COURSEFETCH_PLUGINS": "\(folder)/listed1:\(folder)/listed2:\(folder)/extra/:\(folder)/listed1",
            "XDG_DATA_HOME": "\(folder)/data",
        ]
        let registry = discover(
            sandbox, extra: ["extra"], environment: environment, executable: "prefix/bin/coursefetch")
        #expect(registry.plugins.keys.sorted() == ["a", "b", "c", "common", "d", "e", "f"])
        #expect(registry.plugins["common"]?.folder == folder.appending("extra/common"))
        #expect(registry.broken.isEmpty)
        #expect(registry.hidden.map(\.name) == Array(repeating: "common", count: 5))

        environment = ["HOME": "\(folder)/home", "XDG_DATA_HOME": "relative"]
        try add(sandbox, "home/.local/share/coursefetch/plugins/h", name: "h")
        #expect(discover(sandbox, environment: environment).plugins.keys.sorted() == ["h"])
    }

    @Test("a program with a slash is in the folder, else beside the executable; one without is on PATH")
    func programs() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        try add(sandbox, "p/inside", name: "inside")
        try add(sandbox, "p/beside", name: "beside", run: "./built, --flag")
        try add(sandbox, "p/path", name: "path", run: "sh, ./tool")
        try sandbox.write("#!/bin/sh\n", to: "bin/built", mode: 0o755)
        try add(sandbox, "p/installed", name: "installed", run: "./program, word")
        try sandbox.write("#!/bin/sh\n", to: "lib/coursefetch/program", mode: 0o755)
        let registry = discover(
            sandbox, extra: ["p"], environment: ["PATH": "/usr/bin:/bin"], executable: "bin/coursefetch")
        #expect(registry.plugins["inside"]?.launch.executable == folder.appending("p/inside/tool"))
        #expect(registry.plugins["beside"]?.launch.executable == folder.appending("bin/built"))
        #expect(registry.plugins["beside"]?.launch.arguments == ["--flag"])
        #expect(
            registry.plugins["installed"]?.launch.executable.string.hasSuffix("/lib/coursefetch/program") == true)
        #expect(registry.plugins["path"]?.launch.executable.lastComponent?.string == "sh")
        #expect(registry.plugins["path"]?.launch.folder == folder.appending("p/path"))
    }

    @Test("broken ones are listed with the reason, the others are found")
    func broken() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        try add(sandbox, "p/good", name: "good")
        try add(sandbox, "p/future", name: "future")
        try sandbox.write("{name: future, protocol: 9, run: [./tool]}", to: "p/future/plugin.yaml")
        try add(sandbox, "p/lost", name: "lost", run: "./missing")
        try add(sandbox, "p/lost-too", name: "lost-too", run: "no-such-command-here")
        try add(sandbox, "p/plain", name: "plain", toolMode: 0o644)
        try sandbox.write("name: [", to: "p/torn/plugin.yaml")
        try sandbox.write("{name: a}", to: "p/wrong/plugin.yaml")
        try sandbox.write("no manifest", to: "p/other/readme.txt")
        let registry = discover(sandbox, extra: ["p", "nowhere"], executable: "bin/coursefetch")
        #expect(registry.plugins.keys.sorted() == ["good"])
        let reasons = Dictionary(uniqueKeysWithValues: registry.broken.map { ($0.name, $0.reason) })
        #expect(reasons["future"] == "it speaks version 9 of the protocol; this coursefetch speaks 1")
        #expect(
            reasons["lost"] == "its program ./missing is neither in its folder nor beside \(folder)/bin/coursefetch")
        #expect(reasons["lost-too"] == "its program 'no-such-command-here' isn't on PATH")
        #expect(reasons["plain"] == "\(folder)/p/plain/tool isn't executable")
        #expect(reasons["torn"]?.hasPrefix("\(folder)/p/torn/plugin.yaml:") == true, "\(reasons["torn"] ?? "")")
        #expect(
            reasons["wrong"] == "\(folder)/p/wrong/plugin.yaml:1:1: 'protocol' is missing (and 1 more)")
        #expect(reasons["nowhere"] == "there is no such folder")
        #expect(reasons.count == 7)

        guard case .unknown(suggestion: "good") = registry.plugin(named: "godo") else {
            Issue.record("no suggestion")
            return
        }
        guard case .broken(let plugin) = registry.plugin(named: "lost") else {
            Issue.record("not broken")
            return
        }
        #expect(plugin.folder == folder.appending("p/lost"))
    }

    @Test("a broken plugin that comes first is reported, not skipped")
    func brokenFirst() throws {
        let sandbox = try Sandbox()
        try add(sandbox, "first/x", name: "x", run: "./missing")
        try add(sandbox, "second/x", name: "x")
        let registry = discover(sandbox, extra: ["first", "second"])
        #expect(registry.plugins.isEmpty)
        guard case .broken = registry.plugin(named: "x") else {
            Issue.record("not broken")
            return
        }
    }

    @Test("a plugin that others could change is refused, wherever it is")
    func permissions() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        try add(sandbox, "p/manifest", name: "manifest", manifestMode: 0o646)
        try add(sandbox, "p/program", name: "program", toolMode: 0o757)
        try add(sandbox, "p/folder", name: "folder")
        try add(sandbox, "p/library", name: "library")
        try sandbox.write("", to: "p/library/lib.py", mode: 0o666)
        try add(sandbox, "p/fine", name: "fine")
        chmod("\(folder)/p/folder", 0o777)
        try add(sandbox, "open/x", name: "x")
        chmod("\(folder)/open", 0o777)
        let registry = discover(sandbox, extra: ["p", "open"])
        #expect(registry.plugins.keys.sorted() == ["fine"])
        #expect(
            registry.broken.map(\.reason).sorted() == [
                "\(folder)/open can be written by others", "\(folder)/p/folder can be written by others",
                "\(folder)/p/library/lib.py can be written by others",
                "\(folder)/p/manifest/plugin.yaml can be written by others",
                "\(folder)/p/program/tool can be written by others",
            ])
    }

    @Test("a plugin that belongs to a stranger is refused, as is one below a folder that others could change")
    func strangers() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        try add(sandbox, "open/inner/p/x", name: "x")
        chmod("\(folder)/open", 0o777)
        #expect(
            discover(sandbox, extra: ["open/inner/p"]).broken.map(\.reason) == [
                "\(folder)/open can be written by others"
            ])
        // A link leads there as well.
        symlink("\(folder)/open/inner/p", "\(folder)/link")
        #expect(discover(sandbox, extra: ["link"]).broken.map(\.reason) == ["\(folder)/open can be written by others"])
        chmod("\(folder)/open", 0o755)
        #expect(discover(sandbox, extra: ["open/inner/p", "link"]).plugins.keys.sorted() == ["x"])

        // The rest needs somebody who may give files away.
        guard getuid() == 0 else { return }
        chmod("\(folder)/open", 0o1777)
        #expect(discover(sandbox, extra: ["open/inner/p"]).plugins.keys.sorted() == ["x"], "as /tmp is")
        for path in ["open/inner/p/x/tool", "open/inner/p/x/plugin.yaml", "open/inner/p/x", "open/inner/p", "open"] {
            chown("\(folder)/\(path)", 65_534, 0)
            let reasons = discover(sandbox, extra: ["open/inner/p"]).broken.map(\.reason)
            #expect(reasons.count == 1 && reasons[0].hasPrefix("\(folder)/\(path) belongs to "), "\(reasons)")
            chown("\(folder)/\(path)", 0, 0)
        }
    }

    /// Runs the probe as an ordinary user: this one, or nobody in the place of root. Nil where nobody can't reach it.
    private func find(_ name: String, in folder: FilePath) async throws -> String? {
        let probe = BundledPluginTests.products.appending("plugin-host-probe").string
        let nobody = ["setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups", "--"]
        let account = geteuid() == 0 ? nobody : ["env"]
        func run(_ command: [String]) async throws -> String? {
            let result = try await Subprocess.run(
                .name(command[0]), arguments: Arguments(Array(command.dropFirst())),
                environment: .custom(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]), input: .none,
                output: .string(limit: 1 << 16), error: .discarded)
            return [.exited(0), .exited(69)].contains(result.terminationStatus) ? result.standardOutput : nil
        }
        guard try await run(account + ["test", "-x", probe, "-a", "-r", folder.string]) != nil else { return nil }
        return try await run(account + [probe, "find", folder.string, name])
    }

    private static let nobody: UInt32 = 65_534

    @Test("an ordinary user's process runs its own plugins and root's, none that a third account owns or could change")
    func ordinaryUser() async throws {
        let sandbox = try Sandbox()
        let folder = sandbox.folder
        try add(sandbox, "good/own", name: "own")
        try add(sandbox, "open/inner/x", name: "x")
        chmod("\(folder)/open", 0o777)
        // Not where this machine keeps the probe, or its temporary files, from other accounts.
        guard let own = try await find("own", in: folder.appending("good")) else { return }
        #expect(own == "own: found\n")
        let open = try await find("x", in: folder.appending("open/inner"))
        #expect(open?.hasSuffix(": \(folder)/open can be written by others\n") == true, "\(open ?? "")")
        // Giving files away takes root: up to here they were root's, which are as good as the user's own.
        guard geteuid() == 0 else { return }
        for path in ["good/own/tool", "good/own/plugin.yaml", "good/own", "good"] {
            chown("\(folder)/\(path)", Self.nobody, Self.nobody)
            #expect(try await find("own", in: folder.appending("good")) == "own: found\n", "nobody's \(path)")
        }
        for path in ["good/own/tool", "good/own/plugin.yaml", "good/own", "good"] {
            chown("\(folder)/\(path)", 1, Self.nobody)
            let refused = try await find("own", in: folder.appending("good"))
            #expect(refused?.contains(": \(folder)/\(path) belongs to ") == true, "\(refused ?? "")")
            chown("\(folder)/\(path)", Self.nobody, Self.nobody)
        }
        // What is good for nobody isn't for root.
        #expect(discover(sandbox, extra: ["good"]).plugins.isEmpty)
    }

    @Test("the plugins of an installation whose path has blanks and umlauts are found")
    func oddPath() throws {
        let sandbox = try Sandbox()
        try add(sandbox, "Müllers Käse%20 #1?/lib/coursefetch/plugins/x", name: "x")
        try sandbox.write("", to: "Müllers Käse%20 #1?/bin/coursefetch", mode: 0o755)
        let executable = "Müllers Käse%20 #1?/bin/coursefetch"
        #expect(discover(sandbox, executable: executable).plugins.keys.sorted() == ["x"])
    }

    @Test("a plugin that its group could change is refused, unless the group is the owner's own")
    func groups() throws {
        let sandbox = try Sandbox()
        try add(sandbox, "p/x", name: "x", toolMode: 0o775)
        let tool = "\(sandbox.folder)/p/x/tool"
        let isOwnersOwn = FileStatus(FilePath(tool))?.writableByOthers == nil
        let registry = discover(sandbox, extra: ["p"])
        #expect((registry.plugins["x"] != nil) == isOwnersOwn)
        // Another group than the owner's own, where this test may give files away.
        guard chown(tool, getuid(), 1) == 0 else { return }
        chmod(tool, 0o775)
        #expect(discover(sandbox, extra: ["p"]).broken.map(\.reason) == ["\(tool) can be written by its group"])
    }
}
