import ArgumentParser
import CommandOutput
import FileSystem
import Foundation

/// Where the program begins.
package enum EntryPoint {
    /// Runs the command line of this process and ends the process.
    package static func main() async -> Never {
        // A reader that goes away is no reason to end: writing to it fails instead.
        signal(SIGPIPE, SIG_IGN)
        occupyStandardDescriptors()
        DescriptorLimit.raise()
        let words = CommandWords(Array(CommandLine.arguments.dropFirst()))
        if let unknown = words.unknown {
            refuse(UsageText.unknownCommand(unknown, path: words.path, names: words.names))
        }
        do {
            var command = try CourseFetch.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            exit(ExitStatus.success.rawValue)
        } catch {
            end(error, words)
        }
    }

    /// A standard descriptor that was closed would be given to the next file that is opened, which output would spoil. One
    /// that can't be used takes its place.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func refuse(_ lines: [String]) -> Never {
        DescriptorWriter.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
        exit(ExitStatus.usage.rawValue)
    }

    private static func end(_ error: any Error, _ words: CommandWords) -> Never {
        let code = CourseFetch.exitCode(for: error)
        // The output channel has written all of it already.
        if error is ExitCode { exit(code.rawValue) }
        if code == .validationFailure {
            refuse(
                UsageText.lines(
                    CourseFetch.message(for: error), command: words.path,
                    usage: usage(CourseFetch.fullMessage(for: error))))
        }
        let message = HelpText.completed(CourseFetch.fullMessage(for: error))
        if !message.isEmpty {
            let bytes = Array((message + "\n").utf8)
            let failure = DescriptorWriter.failure(
                writing: bytes, to: code.isSuccess ? STDOUT_FILENO : STDERR_FILENO)
            if code.isSuccess, let failure, failure != EPIPE {
                DescriptorWriter.write(Array((CommandContext.unwritable(failure) + "\n").utf8), to: STDERR_FILENO)
                exit(ExitStatus.stateUnusable.rawValue)
            }
        }
        exit(code.rawValue)
    }

    /// How the command is written, out of the parser's whole message.
    private static func usage(_ message: String) -> String {
        let lines = message.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
        guard let first = lines.first else { return "" }
        // A long one is broken over lines that are indented.
        let rest = lines.dropFirst().prefix { $0.hasPrefix("   ") }
        return ([first.dropFirst("Usage: ".count)] + rest.map { Substring($0.drop { $0 == " " }) }).joined(
            separator: " ")
    }
}
