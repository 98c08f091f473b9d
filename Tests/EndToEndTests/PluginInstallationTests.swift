import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Installing and removing plugins")
struct PluginInstallationTests {
    /// A new plugin in shell, in the folder `mine`, and the outcome of a command on the user's plugins.
    private let folder: TemporaryFolder

    init() async throws {
        folder = TemporaryFolder()
        try folder.make("home")
        let made = try await Program.coursefetch(["plugins", "new", "mine", "--language", "sh"], in: folder)
        #expect(made.exit == 0, "\(made.error)")
    }

    private static let place = "home/.local/share/coursefetch/plugins"

    private func plugins(_ arguments: String...) async throws -> Outcome {
        try await Program.coursefetch(["plugins"] + arguments, in: folder)
    }

    private func python(_ script: String) async throws {
        let outcome = try await Program.run(["python3", "-c", script], in: folder)
        #expect(outcome.exit == 0, "\(outcome.error)")
    }

    private func mode(_ path: String) -> Int? {
        let facts = try? FileManager.default.attributesOfItem(atPath: folder.at(path).string)
        return facts?[.posixPermissions] as? Int
    }

    /// The entries of the user's folder of plugins, hidden ones included: nothing half-done may stay.
    private var installed: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.at(Self.place).string)
        return (names ?? []).sorted()
    }

    @Test("a folder is installed with modes that are trusted, without what is hidden, and found by its name")
    func folderInstalled() async throws {
        try folder.write("x", to: "mine/.git/config")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o666], ofItemAtPath: folder.at("mine/fixtures/fixture.yaml").string)
        let outcome = try await plugins("install", "mine")
        #expect(outcome.exit == 0, "\(outcome.error)")
        #expect(outcome.output.contains("installed mine 0.1.0 in "))
        #expect(outcome.output.contains(" checks ok"))
        #expect(installed == ["mine"])
        #expect(mode("\(Self.place)/mine/mine") == 0o755)
        #expect(mode("\(Self.place)/mine/fixtures/fixture.yaml") == 0o644)
        #expect(!folder.has("\(Self.place)/mine/.git"))
        #expect(try await plugins("list").output.contains("parameters: endpoint*"))
    }

    @Test("an older version is replaced, the same one only with --force")
    func versions() async throws {
        #expect(try await plugins("install", "mine", "--no-check").exit == 0)
        let again = try await plugins("install", "mine", "--no-check")
        #expect(again.exit == 64)
        #expect(again.error.contains("0.1.0 isn't newer"))
        #expect(try await plugins("install", "mine", "--no-check", "--force").exit == 0)
        let manifest = try #require(folder.read("mine/plugin.yaml"))
        try folder.write(manifest.replacing("0.1.0", with: "0.10.0"), to: "mine/plugin.yaml")
        let newer = try await plugins("install", "mine", "--no-check")
        #expect(newer.output.contains("in the place of 0.1.0; it wasn't checked"), "\(newer.output)\(newer.error)")
        #expect(installed == ["mine"])
    }

    @Test("one whose manifest can't be used is replaced with --force only, and it is said why")
    func unusable() async throws {
        #expect(try await plugins("install", "mine", "--no-check").exit == 0)
        try folder.write("name: mine\nversion: [\n", to: "\(Self.place)/mine/plugin.yaml")
        let outcome = try await plugins("install", "mine", "--no-check")
        #expect(outcome.exit == 69, "\(outcome.error)")
        #expect(outcome.error.contains("mine is installed and can't be used: "), "\(outcome.error)")
        #expect(try await plugins("install", "mine", "--no-check", "--force").exit == 0)
    }

    @Test("a plugin that fails a check isn't installed, and the one that is there stays")
    func failing() async throws {
        #expect(try await plugins("install", "mine", "--no-check").exit == 0)
        let program = try #require(folder.read("mine/mine"))
        try folder.write(program.replacing("exec jq", with: "echo hello\nexec jq"), to: "mine/mine")
        let outcome = try await plugins("install", "mine", "--force")
        #expect(outcome.exit == 1)
        #expect(outcome.output.contains("FAILED   stdout has only answers (stdout)"))
        #expect(folder.read("\(Self.place)/mine/mine") == program)
        #expect(installed == ["mine"])
    }

    @Test("archives are installed, with a folder in them or without", arguments: ["a.tar.gz", "a.tgz", "a.zip"])
    func archives(name: String) async throws {
        let kind = name.hasSuffix("zip") ? "zip" : "gztar"
        try await python(
            """
            import os, shutil
            os.rename(shutil.make_archive('b', '\(kind)', '.', 'mine'), '\(name)')
            os.rename(shutil.make_archive('b', '\(kind)', 'mine'), 'flat-\(name)')
            """)
        let outcome = try await plugins("install", name, "--no-check")
        #expect(outcome.exit == 0, "\(outcome.error)")
        #expect(try await plugins("install", "flat-\(name)", "--no-check", "--force").exit == 0)
        #expect(installed == ["mine"])
        #expect(mode("\(Self.place)/mine/mine") == 0o755)
    }

    @Test("an archive from Windows is installed, and its scripts are programs", arguments: ["/", "\\\\"])
    func windows(slash: String) async throws {
        try await python(
            """
            import os, zipfile
            with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
                for folder, _, names in os.walk('mine'):
                    for name in names:
                        path = os.path.join(folder, name)
                        entry = zipfile.ZipInfo(path)
                        entry.filename = path.replace('/', '\(slash)')
                        entry.create_system, entry.external_attr = 0, 0x20
                        archive.writestr(entry, open(path, 'rb').read())
            """)
        let outcome = try await plugins("install", "a.zip")
        #expect(outcome.exit == 0, "\(outcome.error)\(outcome.output)")
        #expect(mode("\(Self.place)/mine/mine") == 0o755)
        #expect(mode("\(Self.place)/mine/plugin.yaml") == 0o644)
    }

    @Test(
        "an archive that leads out of its folder, has links or is too large leaves nothing behind",
        arguments: [
            ("t('../out', b'x')", "leads out of the archive"),
            ("t('/tmp/coursefetch-out', b'x')", "leads out of the archive"),
            ("link('p/x', '/etc')", "is a link"), ("t('p/plugin.yaml', b'0' * (300 << 20))", "can't be unpacked"),
            ("z('../out', b'x')", "leads out of the archive"), ("z('..\\\\out', b'x')", "leads out of the archive"),
            ("z('p/plugin.yaml', b'0' * (300 << 20))", "at most"),
            ("z(*('p/%d' % n for n in range(6)), data=b'0' * (60 << 20))", "at most"),
            ("t('p/readme', b'x')", "neither a folder with a plugin.yaml"),
            ("open('a.tar.gz', 'w').write('no archive')", "can't be unpacked"),
        ])
    func unsafe(script: String, words: String) async throws {
        try await python(
            """
            import io, tarfile, zipfile
            def t(name, data, **more):
                with tarfile.open('a.tar.gz', 'w:gz') as archive:
                    entry = tarfile.TarInfo(name)
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))
            def link(name, target):
                with tarfile.open('a.tar.gz', 'w:gz') as archive:
                    entry = tarfile.TarInfo(name)
                    entry.type, entry.linkname = tarfile.SYMTYPE, target
                    archive.addfile(entry)
            def z(*names, data=b'x'):
                if isinstance(names[-1], bytes):
                    names, data = names[:-1], names[-1]
                with zipfile.ZipFile('a.zip', 'w', zipfile.ZIP_DEFLATED) as archive:
                    for name in names:
                        archive.writestr(name, data)
            \(script)
            """)
        let outcome = try await plugins("install", script.hasPrefix("z(") ? "a.zip" : "a.tar.gz")
        #expect(outcome.exit == 64)
        #expect(outcome.error.contains(words), "\(outcome.error)")
        #expect(installed == [])
        #expect(!folder.has("\(Self.place)/out") && !folder.has("out") && !folder.has("home/.local/share/out"))
    }

    @Test("only plugins of the user's own folder are removed, and it says which folder")
    func removal() async throws {
        #expect(try await plugins("install", "mine", "--no-check").exit == 0)
        let foreign = try await plugins("remove", "demo")
        #expect(foreign.exit == 1)
        #expect(
            foreign.error.contains("/demo, which isn't in your folder of plugins; nothing was removed. To remove it")
        )
        for name in ["nix", "..", "../plugins/mine", ""] { #expect(try await plugins("remove", name).exit == 64) }
        #expect(installed == ["mine"])
        let outcome = try await plugins("remove", "mine")
        #expect(outcome.output.contains("removed \(folder.at(Self.place).string)/mine"), "\(outcome.error)")
        #expect(installed == [])
    }

    @Test("what killed installations left goes with the next one, which puts back what had no name any more")
    func leftovers() async throws {
        for path in [".installing-a/files/plugin.yaml", ".removed-b/plugin.yaml", ".installing-running/files/x"] {
            try folder.write("x", to: "\(Self.place)/\(path)")
        }
        // Killed between the two names of an exchange in two steps.
        try folder.write("name: other\n", to: "\(Self.place)/.installing-c/replaced/other/plugin.yaml")
        let outcome = try await Program.run(
            [
                "flock", folder.at("\(Self.place)/.installing-running/lock").string,
                Built.executable("coursefetch").string, "plugins", "install", "mine", "--no-check",
            ], in: folder)
        #expect(outcome.exit == 0, "\(outcome.error)")
        #expect(installed == [".installing-running", "mine", "other"])
        #expect(folder.read("\(Self.place)/other/plugin.yaml") == "name: other\n")
        #expect(try await plugins("remove", "other").exit == 0)
        #expect(installed == ["mine"])
    }

    @Test("new replaces nothing, and refuses names that no manifest may have")
    func new() async throws {
        let before = folder.read("mine/mine")
        let again = try await plugins("new", "mine", "--language", "sh")
        #expect(again.exit == 64)
        #expect(again.error.contains("is there already"))
        #expect(folder.read("mine/mine") == before)
        for name in ["", "-x", "a/b", "..", "ümlaut", String(repeating: "x", count: 65)] {
            #expect(try await plugins("new", "--language", "sh", "--", name).exit == 64)
        }
        #expect(try await plugins("new", "other", "--language", "cobol").exit == 64)
    }
}
