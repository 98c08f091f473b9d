// Shows the live view without a run, to look at it or to capture it:
//
//   live-view-rehearsal still N    N downloads in progress, everything at rest until standard input closes
//   live-view-rehearsal scene N    the same of two courses, for docs/live-view.md
//   live-view-rehearsal play N     a run of 40 videos that moves, N at a time
//   live-view-rehearsal signals    waits for signals and tells of them
import CommandOutput
import CourseFetchCommands
import Foundation
import SyncDisplay
import SyncFacts
import Synchronization
import Terminal

/// A clock that stands where it was put.
final class ScriptClock: Sendable {
    private let time = Mutex(Script.begin)

    var now: Date { time.withLock { $0 } }

    func set(_ seconds: Double) { time.withLock { $0 = Script.begin.addingTimeInterval(seconds) } }
}

let arguments = CommandLine.arguments
if arguments.count > 1, arguments[1] == "signals" { await SignalRehearsal.run() }
let count = arguments.count > 2 ? Int(arguments[2]) ?? 3 : 3
let isScene: Bool = arguments.count > 1 && arguments[1] == "scene"
let isStill: Bool = isScene || arguments.count < 2 || arguments[1] == "still"
let environment = ProcessInfo.processInfo.environment
let clock = ScriptClock()
let view = LiveView(style: TerminalStyle(environment: environment), zone: TimeZone(secondsFromGMT: 0) ?? .current)
let time: @Sendable () -> Date = { isStill ? clock.now : Date() }
let screen = TerminalScreen(view: view, descriptor: STDERR_FILENO, environment: environment, clock: time)

// Ctrl-Z and the second Ctrl-C work as in a sync; the first asks for nothing here.
let signals = SignalWatch(
    stop: {},
    abort: {
        screen.restore()
        _exit(130)
    }, pause: { screen.step { kill(getpid(), SIGSTOP) } })

if isStill {
    for (time, event) in isScene ? Scene.events(active: count) : Script.still(active: count) {
        clock.set(time)
        screen.receive(event)
    }
    clock.set(isScene ? 72 : 10)
    screen.start()
    while readLine() != nil {}
    await screen.close()
    print("the end")
} else {
    await Play(screen: screen, width: count).run(videos: 40)
}
withExtendedLifetime(signals) {}
