import ArgumentParser
import Foundation

/// Where the program begins.
package enum EntryPoint {
    /// Runs the command line of this process and ends the process.
    package static func main() async -> Never {
        // A reader that goes away is no reason to end: writing to it fails instead.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try CourseFetch.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            exit(ExitStatus.success.rawValue)
        } catch {
            end(error)
        }
    }

    private static func end(_ error: any Error) -> Never {
        let code = CourseFetch.exitCode(for: error)
        // The output channel has written all of it already.
        if error is ExitCode { exit(code.rawValue) }
        let message = HelpText.completed(CourseFetch.fullMessage(for: error))
        if !message.isEmpty {
            DescriptorWriter.write(Array((message + "\n").utf8), to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
        }
        exit(code.rawValue)
    }
}
