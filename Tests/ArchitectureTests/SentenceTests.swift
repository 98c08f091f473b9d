import Checkout
import Foundation
import Testing

/// Rooms beneath `CommandOutput` report facts. Every sentence for users there has to be a case with words in
/// `CommandOutput`, or a listed exception.
@Suite("Sentences for users")
struct SentenceTests {
    static let rooms = [
        "RunSchedule", "MediaLibrary", "UserState", "SyncFacts", "CourseDiscovery", "FilePlacement", "DownloadJobs",
        "CatalogComparison", "DownloadRunner", "ProviderConformance", "Migration", "Operations",
    ]

    /// Files that have sentences all the same; those of ``isStored(_:)`` aside.
    private static let excepted = [
        // A mistake in a catalog, worded where it is found, as CourseCatalog words all others.
        "Sources/Run/DownloadJobs/Providers/ProviderCheck.swift",
        // An error of the provider protocol has a message; that of a download repeats it.
        "Sources/Run/DownloadJobs/Providers/ProviderError+Pool.swift",
        "Sources/Run/CourseDiscovery/ProviderError+Listing.swift",
    ]

    /// A download's error is stored with its sentence, so that it is made where the error arises: see `DownloadError.message`.
    private static func isStored(_ file: String) -> Bool {
        (file as NSString).lastPathComponent.hasPrefix("DownloadError+")
    }

    /// Three consecutive words count as a sentence. Lines for the log are exempt: developers read them.
    private static func sentences(_ text: String) -> [SwiftLiterals.Literal] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return SwiftLiterals(text).all.filter { $0.words >= 3 && !lines[$0.line - 1].contains("logger.") }
    }

    @Test("rooms beneath CommandOutput write no sentences", arguments: rooms)
    func facts(room: String) throws {
        let files = Room.named(room)?.files ?? []
        #expect(!files.isEmpty)
        for file in files where !Self.isStored(file) && !Self.excepted.contains(file) {
            for sentence in Self.sentences(try Checkout.text(file)) {
                Issue.record("\(file):\(sentence.line): “\(sentence.text)” belongs into CommandOutput")
            }
        }
    }

    /// The words of a command that somebody may paste; what makes new files, and knows no places, aside.
    private static func suggestions(_ text: String) throws -> [SwiftLiterals.Literal] {
        let commands =
            "(sync|status|path|open|pause|resume|cancel|retry|remove|prioritize|set|verify|resolve|list|catalog"
            + "|login|logout|plugins list|library|migrate|forget|doctor|check)([^s]|$)"
        let suggestion = try Regex("coursefetch \\s*\(commands)")
        return SwiftLiterals(text).all.filter { $0.text.contains(suggestion) }
    }

    @Test("a suggested command is made by SuggestedCommand, which adds the places that were given")
    func suggested() throws {
        let folders = [
            "Command/CommandOutput", "Command/SyncDisplay", "Run/SyncFacts", "Run/DownloadJobs",
        ]
        // `init` has no places, and so have the files that it makes.
        let excepted = ["FirstFilesText.swift"]
        for file in folders.flatMap({ Checkout.swiftFiles(under: "Sources/" + $0) })
        where !excepted.contains((file as NSString).lastPathComponent) {
            for found in try Self.suggestions(try Checkout.text(file)) {
                Issue.record("\(file):\(found.line): “\(found.text)” lacks the places that were given")
            }
        }
        #expect(try Self.suggestions(#"x = "now run: coursefetch sync CATALOG""#).count == 1)
    }

    @Test("every exception is used")
    func exceptions() throws {
        for file in Self.excepted { #expect(!Self.sentences(try Checkout.text(file)).isEmpty, "\(file)") }
        let stored = Self.rooms.flatMap { Room.named($0)?.files ?? [] }.filter(Self.isStored)
        #expect(stored.count > 3)
    }

    @Test(
        "a sentence is found in every kind of literal",
        arguments: [
            (#"throw Refusal("the disk is full")"#, ["the disk is full"]),
            (#"let text = "\(path) can't be (really) read: \(error)""#, ["% can't be (really) read: %"]),
            ("f(\"\"\"\n  one “two” \\\n  three\n  \"\"\")", ["\n  one “two”   three\n  "]),
            (#"x = "a \(isIt ? "that is it" : f("b)")) b""#, ["that is it"]),
            (##"x = #"say "no" \#(x) not \(yes) twice now"#"##, [#"say "no" % not \(yes) twice now"#]),
            (#"/// It says "one two three"."#, []), (#"call() // says "one two three""#, []),
            (#"logger.debug("one two three")"#, []), (#""download started", "a-b c_d e.f""#, []),
        ] as [(String, [String])])
    func forms(code: String, found: [String]) { #expect(Self.sentences(code).map(\.text) == found) }
}
