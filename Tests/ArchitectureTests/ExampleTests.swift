import Foundation
import SystemPackage
import TestSupport
import Testing

/// What the README and the folder of catalogs show is tried out with the built program.
@Suite("Examples")
struct ExampleTests {
    /// Runs the program with an empty home and nothing else in its environment.
    private static func coursefetch(_ arguments: [String], home: TemporaryFolder) async throws -> Tool.Ending {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let program = Built.executable("coursefetch").string
        return try await Tool.run(
            "/usr/bin/env", ["-i", "HOME=\(home.path)", "LANG=C.UTF-8", "PATH=\(path)", program] + arguments)
    }

    /// Writes the README's catalog and provider where the page says they belong. Returns the catalog's path.
    private static func readme(into home: TemporaryFolder) throws -> String {
        let page = try Page("README.md")
        let catalog = try #require(page.blocks("yaml").first { $0.hasPrefix("version: 1\n") })
        let manifest = try #require(page.blocks("yaml").first { $0.hasPrefix("name: ") })
        let program = try #require(page.blocks("sh").first { $0.hasPrefix("#!/bin/sh\n") })
        #expect(catalog.split(separator: "\n").count == 10, "the README promises ten lines")
        #expect((manifest + program).split(separator: "\n").count <= 10, "the README promises ten lines")
        let folder = ".local/share/coursefetch/plugins/lectures"
        try home.write(catalog, to: "catalog.yaml")
        try home.write(manifest, to: "\(folder)/plugin.yaml")
        try home.write(program, to: "\(folder)/lectures")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: home.at("\(folder)/lectures").string)
        return home.at("catalog.yaml").string
    }

    @Test("the README's catalog has no mistakes, with its provider and without")
    func catalog() async throws {
        let home = TemporaryFolder()
        let catalog = try Self.readme(into: home)
        for options in [["--no-plugins"], []] {
            let ending = try await Self.coursefetch(["check", catalog] + options, home: home)
            #expect(ending.isSuccess, "\(ending.output)")
            #expect(ending.output.contains("no mistakes"))
        }
    }

    @Test("the README's provider says where each of its videos is")
    func provider() async throws {
        let home = TemporaryFolder()
        let catalog = try Self.readme(into: home)
        let ending = try await Self.coursefetch(["resolve", catalog, "phys101", "--json"], home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        let urls = ending.output.matches(of: /"url":"([^"]*)"/).map { String($0.1) }
        #expect(
            urls == ["https://media.example.org/phys101/k1.mp4", "https://media.example.org/phys101/k2.mp4"],
            "\(ending.output)")
    }

    @Test(
        "an example has no mistakes",
        arguments: Checkout.names(in: "catalogs").filter { $0.hasSuffix(".yaml") })
    func example(name: String) async throws {
        let home = TemporaryFolder()
        let ending = try await Self.coursefetch(["check", Checkout.path("catalogs/" + name)], home: home)
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(ending.output.contains("no mistakes"))
    }

    @Test("an example begins by saying what it shows")
    func headers() throws {
        let names = Checkout.names(in: "catalogs").filter { $0.hasSuffix(".yaml") }
        #expect(names.count >= 4)
        for name in names { #expect(try Checkout.text("catalogs/" + name).hasPrefix("# "), "\(name)") }
    }
}
