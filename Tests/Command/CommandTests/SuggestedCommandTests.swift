import ArgumentParser
import SyncFacts
import Testing

@testable import CourseFetchCommands

@Suite("commands that messages suggest")
struct SuggestedCommandTests {
    private static let places = SuggestedCommand.Places(
        user: "bob", state: "/the state", library: "/library", plugins: ["/p 1", "/p2"])

    private static func text(_ words: String, _ places: SuggestedCommand.Places = places) -> String {
        SuggestedCommand.$scoped.withValue(places) { SuggestedCommand.text(words) }
    }

    @Test("a command has the places that were given, and no others")
    func given() {
        #expect(Self.text("sync CATALOG", SuggestedCommand.Places()) == "coursefetch sync CATALOG")
        #expect(
            Self.text("status --failed")
                == "coursefetch status --failed --user bob --state '/the state' --library /library")
        #expect(
            Self.text("retry --failed --now", SuggestedCommand.Places(state: "/s", plugins: ["/p 1", "/p2"]))
                == "coursefetch retry --failed --now --state /s --plugins '/p 1' --plugins /p2")
        #expect(Self.text("plugins list") == "coursefetch plugins list --plugins '/p 1' --plugins /p2")
        #expect(Self.text("check c.yaml") == "coursefetch check c.yaml --plugins '/p 1' --plugins /p2")
    }

    @Test("what the command says itself counts")
    func own() {
        #expect(
            Self.text("library adopt --library /new --user anna")
                == "coursefetch library adopt --library /new --user anna --state '/the state'")
        #expect(
            Self.text("library move NEW-FOLDER")
                == "coursefetch library move NEW-FOLDER --user bob --state '/the state'")
    }

    @Test("every command takes the options that it is suggested with", arguments: try paths())
    func accepted(path: [String]) throws {
        let words = path.joined(separator: " ")
        let help = HelpTests.help(path)
        for option in ["user", "state", "library", "plugins", "shard"] {
            // Its argument is the library. The other two are about no user, and are never suggested with places.
            if path == ["library", "move"], option == "library" { continue }
            if path == ["users"] || path == ["init"] { continue }
            var places = Self.places
            places.shard = "2/8"
            let text = Self.text(words, places)
            #expect(help.contains("--\(option) <") == text.contains(" --\(option) "), "\(words) --\(option)")
        }
    }

    private static func paths() throws -> [[String]] { HelpTests.paths(try HelpTests.root()) }

    @Test("places of the command line and of variables are given, those of the settings and defaults aren't")
    func origins() throws {
        let layers = SettingLayers(
            options: ["state": ["/tmp/../s"], "plugins": ["/p"]], environment: ["COURSEFETCH_USER": "bob"],
            file: .none)
        #expect(
            try SyncSettings(layers).givenPlaces
                == SuggestedCommand.Places(user: "bob", state: "/s", plugins: ["/p"]))
    }
}
