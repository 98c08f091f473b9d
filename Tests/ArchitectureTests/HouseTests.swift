import Checkout
import Foundation
import Testing

/// Rules for every file.
@Suite("House rules")
struct HouseTests {
    static let sources = Checkout.swiftFiles(under: "Sources")
    static let all = sources + Checkout.swiftFiles(under: "Plugins") + Checkout.swiftFiles(under: "Tests")

    /// Its server writes a plugin's answers.
    static let pluginOutput = "Sources/Provider/ProviderKit/Server/PluginOutput.swift"

    /// Sources/FLOOR/ROOM/…
    private static func room(of file: String) -> Substring { file.split(separator: "/")[2] }

    @Test("only the commands print")
    func printing() throws {
        let silent = Self.sources.filter { file in
            !["Terminal", "CommandOutput", "SyncDisplay", "CourseFetchCommands", "coursefetch", "PageSite"].contains(
                Self.room(of: file))
                && file != Self.pluginOutput
        }
        #expect(silent.count > 100)
        for file in silent {
            for line in try Checkout.code(file) { #expect(!Self.prints(line), "\(file): \(line)") }
        }
    }

    @Test(
        "every way of printing is found",
        arguments: [
            ("print(value)", true), ("    debugPrint(x)", true), ("fputs(text, stderr)", true), ("dump(x)", true),
            ("write(STDOUT_FILENO, bytes)", true), ("FileHandle.standardError.write(data)", true),
            ("fingerprint(x)", false), ("let printable = true", false), (".print(x)", false),
        ])
    func ways(line: String, prints: Bool) { #expect(Self.prints(line) == prints) }

    static func prints(_ line: String) -> Bool {
        if ["STDOUT_FILENO", "STDERR_FILENO", "FileHandle.standard"].contains(where: line.contains) { return true }
        guard ["rint", "dump", "put", "perror"].contains(where: line.contains) else { return false }
        return line.contains(
            /(?:^|[^.\w])(?:print|debugPrint|dump|puts|fputs|putchar|printf|vprintf|fprintf|perror)\s*\(/)
    }

    @Test("no dictionary made from outside input can end the process", arguments: sources)
    func duplicateKeys(file: String) throws {
        for line in try Checkout.code(file) { #expect(!line.contains("uniqueKeysWithValues"), "\(file): \(line)") }
    }

    @Test("no file has a meaningless name", arguments: all)
    func names(file: String) {
        // A credential helper is what git calls so.
        let name = (file as NSString).lastPathComponent.replacing("CredentialHelper", with: "")
        #expect(name.firstMatch(of: /Util|Helper|Manager|Common|Misc|Stuff/) == nil)
    }

    @Test("no file is too long", arguments: sources)
    func length(file: String) throws {
        #expect(try Checkout.text(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 400)
    }

    @Test("no type is spread over more than three files of its room")
    func spread() throws {
        var homes: [String: Set<String>] = [:]
        for file in Self.sources {
            let room = Self.room(of: file)
            for line in try Checkout.code(file) {
                guard let type = Self.extended(line) else { continue }
                homes["\(room).\(type)", default: []].insert(file)
            }
        }
        #expect(homes.count > 500)
        for (type, files) in homes where files.count > 3 { Issue.record("\(type): \(files.sorted())") }
    }

    @Test(
        "a type is found where it is declared and where it is extended",
        arguments: [
            ("package struct Schedule: Sendable {", "Schedule"), ("extension Schedule {", "Schedule"),
            ("package final class A<B>: C {", "A"), ("@MainActor actor A {", "A"), ("    struct Nested {", nil),
            ("extension A.B: C {", "A.B"), ("private indirect enum E {", "E"), ("func extension(x)", nil),
        ] as [(String, String?)])
    func declarations(line: String, type: String?) { #expect(Self.extended(line) == type) }

    private static func extended(_ line: String) -> String? {
        let form = /^(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)*?(?:struct|class|actor|enum|protocol|extension)\s+([\w.]+)/
        return line.prefixMatch(of: form).map { String($0.1) }
    }

    @Test("the Makefile builds and installs every plugin")
    func plugins() throws {
        let makefile = try Checkout.text("Makefile")
        let lists = makefile.matches(of: /(?m)^(?:\w+_PLUGINS|PROVIDERS) = (.*)$/)
        #expect(lists.count > 1)
        let plugins = Checkout.folders(in: "Plugins").filter {
            FileManager.default.fileExists(atPath: Checkout.path("Plugins/\($0)/plugin.yaml"))
        }
        #expect(lists.flatMap { $0.1.split(separator: " ").map(String.init) }.sorted() == plugins)
    }

    /// Git makes a text file of a link where links are switched off, and so do some archives.
    @Test(
        "nothing is a symbolic link, which not every checkout has",
        arguments: ["Sources", "Tests", "Plugins", "contrib", "docs", "catalogs"])
    func links(folder: String) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Checkout.path(folder))
        #expect(!paths.isEmpty)
        for path in paths {
            let type = try FileManager.default.attributesOfItem(atPath: Checkout.path("\(folder)/\(path)"))[.type]
            #expect(type as? FileAttributeType != .typeSymbolicLink, "\(folder)/\(path)")
        }
    }
}
