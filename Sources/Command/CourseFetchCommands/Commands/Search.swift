import ArgumentParser
import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

struct Search: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find the videos in which something is said.",
        usage: "coursefetch search <words> ... [--limit <number>] [--json] [<options>]",
        discussion: """
            Searches the titles, the descriptions in listings, and the subtitles of finished videos, and prints the \
            videos whose titles, or one of whose subtitle files, have all words, the best first, with the time and \
            the sentence of each place. Case and accents don't matter. Words in quotation marks follow each other, \
            and word* is the beginning of words. Subtitles are read once into an index beside the state, page.sqlite, \
            which the next search brings up to date. It ends with 1 if nothing is found.

            EXAMPLES:
              coursefetch search eigenvalue
              coursefetch search '"free body diagram"'
              coursefetch search --json fourier | jq -r '.moments[] | "\\(.start) \\(.text)"'
            """)

    @Argument(help: ArgumentHelp("What to search for.", valueName: "words"))
    var words: [String]

    @Option(name: .shortAndLong, help: ArgumentHelp("The number of videos.", valueName: "number"))
    var limit = 20

    @Flag(help: "Print one JSON object per video.")
    var json = false

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func validate() throws {
        let most = LibrarySearch.mostHits
        if !(1...most).contains(limit) { throw ValidationError("--limit must be from 1 to \(most)") }
    }

    func run() async throws {
        let context = CommandContext()
        let location = try await context.settings(place.texts).location(of: all)
        let found = try await context.orRefuse { () throws(Refusal) in
            try LibrarySearch.run(words.joined(separator: " "), location, limit: limit) { count in
                // A few are read before anybody could read this.
                if count > 100, isatty(STDERR_FILENO) == 1 { context.complain(SearchText.reading(count)) }
            }
        }
        guard let result = found else { throw await context.refuse(.usage, SearchText.noWord) }
        let width = isatty(STDOUT_FILENO) == 1 ? TerminalSize.of(descriptor: STDOUT_FILENO).columns : nil
        for hit in result.hits {
            if json {
                context.output.send(SearchText.json(hit), to: STDOUT_FILENO)
            } else {
                SearchText(width: width).lines(hit).forEach(context.say)
            }
        }
        if !json { SearchText.notes(result, limit: limit).forEach(context.complain) }
        if !result.leftOut.isEmpty { try await context.finish(leavingOut: result.leftOut, json: json) }
        if result.hits.isEmpty { throw await context.refuse(.failures, SearchText.nothing(result)) }
        try await context.finish()
    }
}
