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

    /// A standard descriptor that was closed would be given to the next file that is opened, which output would spoil. One
    /// that can't be used takes its place.
    private static func occupyStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static func end(_ error: any Error) -> Never {
        let code = CourseFetch.exitCode(for: error)
        // The output channel has written all of it already.
        if error is ExitCode { exit(code.rawValue) }
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
}
