import ArgumentParser
import CommandOutput
import FileSystem
import Foundation
import Terminal

/// The program's entry point.
package enum EntryPoint {
    /// Runs the command line of this process and ends the process.
    package static func main() async -> Never {
        // A closed reader doesn't end the process: writing to it fails instead.
        signal(SIGPIPE, SIG_IGN)
        occupyStandardDescriptors()
        DescriptorLimit.raise()
        let words = CommandPath(Array(CommandLine.arguments.dropFirst()))
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

    /// Opens a substitute for each closed standard descriptor: otherwise the next opened file would get its number, and
    /// output would overwrite that file.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func refuse(_ lines: [String]) -> Never {
        DescriptorWriter.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: STDERR_FILENO)
        exit(ExitStatus.usage.rawValue)
    }

    private static func end(_ error: any Error, _ words: CommandPath) -> Never {
        let code = CourseFetch.exitCode(for: error)
        // The output channel has already written everything.
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

    /// The command's usage, extracted from the parser's message.
    private static func usage(_ message: String) -> String {
        let lines = message.split(separator: "\n").drop { !$0.hasPrefix("Usage: ") }
        guard let first = lines.first else { return "" }
        // A long one is continued on indented lines.
        let rest = lines.dropFirst().prefix { $0.hasPrefix("   ") }
        return ([first.dropFirst("Usage: ".count)] + rest.map { Substring($0.drop { $0 == " " }) }).joined(
            separator: " ")
    }
}
