package import ArgumentParser
import CommandOutput
import Foundation
import SyncFacts

/// The command tree. Each command states its name: deriving it from the type costs a millisecond at every start.
package struct CourseFetch: AsyncParsableCommand {
    /// The version of the program.
    package static let version = Version.text

    package static let configuration = CommandConfiguration(
        commandName: "coursefetch",
        abstract: "Downloads the videos of course catalogs and keeps them up to date.",
        version: "coursefetch \(version)",
        subcommands: [
            Sync.self, Init.self, Add.self, Check.self, Status.self, History.self, Search.self, PathOf.self,
            OpenVideo.self, Serve.self,
            Pause.self, Resume.self, Cancel.self, Retry.self, Remove.self,
            Prioritize.self, SetRun.self, Verify.self, Copy.self, Resolve.self, ListCourse.self, CatalogCommand.self,
            Login.self,
            Logout.self, Users.self, Plugins.self,
            Library.self, Reshard.self, Migrate.self, Forget.self, Doctor.self, Manual.self,
        ])

    /// The argument parser's description of the whole tree, as JSON.
    package static var dump: String { _dumpHelp() }

    package init() {}

    package func run() async throws {
        let context = CommandContext()
        context.say(Overview.text)
        try await context.finish()
    }
}
