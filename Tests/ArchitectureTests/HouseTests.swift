import Foundation
import Testing

/// What every file has to keep to, wherever it stands.
@Suite("The order of the house")
struct HouseTests {
    static let sources = Checkout.swiftFiles(under: "Sources")
    static let all = sources + Checkout.swiftFiles(under: "Plugins") + Checkout.swiftFiles(under: "Tests")

    /// Its server writes a plugin's answers.
    static let pluginOutput = "Sources/ProviderKit/Server/PluginOutput.swift"

    @Test("nothing but the commands prints")
    func printing() throws {
        let silent = Self.sources.filter { file in
            !file.hasPrefix("Sources/CommandOutput/") && !file.hasPrefix("Sources/CourseFetchCommands/")
                && !file.hasPrefix("Sources/coursefetch/") && file != Self.pluginOutput
        }
        #expect(silent.count > 100)
        for file in silent {
            for line in try Checkout.code(file) { #expect(!Self.prints(line), "\(file): \(line)") }
        }
    }

    @Test(
        "every way of printing is seen",
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

    @Test("no dictionary that is made of what came from outside ends the process", arguments: sources)
    func duplicateKeys(file: String) throws {
        for line in try Checkout.code(file) { #expect(!line.contains("uniqueKeysWithValues"), "\(file): \(line)") }
    }

    @Test("no file is named for what it isn't about", arguments: all)
    func names(file: String) {
        let name = (file as NSString).lastPathComponent
        #expect(name.firstMatch(of: /Util|Helper|Manager|Common|Misc|Stuff/) == nil)
    }

    @Test("no file is too long to be read", arguments: sources)
    func length(file: String) throws {
        #expect(try Checkout.text(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 500)
    }

    @Test("the Makefile builds and installs every plugin that there is")
    func plugins() throws {
        let makefile = try Checkout.text("Makefile")
        let lists = makefile.matches(of: /(?m)^(?:SWIFT|SCRIPT)_PLUGINS = (.*)$/)
        #expect(lists.count == 2)
        #expect(
            lists.flatMap { $0.1.split(separator: " ").map(String.init) }.sorted() == Checkout.folders(in: "Plugins"))
    }
}
