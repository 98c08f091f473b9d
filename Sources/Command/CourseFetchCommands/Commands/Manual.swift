import ArgumentParser
import Foundation

/// `coursefetch manual`, for `make install`.
struct Manual: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page as roff, for man(1).",
        discussion: """
            EXAMPLES:
              coursefetch manual > coursefetch.1
            """,
        shouldDisplay: false)

    func run() async throws {
        let context = CommandContext()
        context.say(try ManualPage(dump: CourseFetch.dump).roff)
        try await context.finish()
    }
}
