import CommandOutput
import CourseFetchCommands
import Foundation
import Terminal

/// Stands in for a sync that takes its time to stop: says `stop` at each call to stop, and ends with 130 when told to
/// abort.
enum SignalRehearsal {
    static func run() async -> Never {
        let channel = OutputChannel()
        let watch = SignalWatch(
            stop: { channel.line("stop", to: STDOUT_FILENO) }, abort: { _exit(130) }, pause: nil)
        channel.line("ready", to: STDOUT_FILENO)
        // Ends with its standard input, so that nothing is left behind.
        while readLine() != nil {}
        withExtendedLifetime(watch) {}
        exit(0)
    }
}
