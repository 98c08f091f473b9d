import ArgumentParser
import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Synchronization
import Terminal

struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Hash finished files again and compare them with the recorded hashes.",
        discussion: """
            The next sync downloads missing files again. Changed files are reported and stay; with --repair the next \
            sync downloads them again and keeps the present ones until then. Covers, subtitles and attachments have no \
            SHA-256, so only their existence and size are checked. A sync can run at the same time; if verify can't \
            change the state because of it, verify says so and ends with 75.

            EXAMPLES:
              coursefetch verify
              coursefetch verify phys101 'chem*/optics'
              coursefetch verify --repair
            """)

    @OptionGroup var picks: SelectionOptions
    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    @Flag(
        help: """
            Let the next sync download changed files again, and record the SHA-256 of files that have none.
            """)
    var repair = false

    @Flag(help: "Print one JSON object per file.")
    var json = false

    func run() async throws {
        let context = CommandContext()
        let settings = try await context.settings(place.texts)
        let progress = RedrawnLines(descriptor: STDERR_FILENO, environment: context.environment)
        let work = verification(try settings.location(of: all), context, progress)
        let abort: @Sendable () -> Void = {
            progress.clear()
            _exit(ExitStatus.interruptedTwice.rawValue)
        }
        let signals = SignalWatch(stop: { work.cancel() }, abort: abort, pause: progress.pause)
        let outcome = await work.value
        progress.clear()
        withExtendedLifetime(signals) {}
        let result = try await context.orRefuse { () throws(Refusal) in try outcome.get() }
        let status = ExitStatus(result.conditions)
        if json {
            for file in result.findings { context.output.send(VerifyJSON.line(file, now: Date()), to: STDOUT_FILENO) }
            context.output.send(VerifyJSON.summary(result, exit: status, now: Date()), to: STDOUT_FILENO)
        } else {
            let text = VerifyText(repairs: repair, style: context.style(of: STDOUT_FILENO))
            text.lines(result).forEach(context.say)
        }
        context.warn(of: result.leftOut)
        if let refusal = result.refusal {
            throw await context.refuse(status, "the state wasn't changed: \(refusal.message)")
        }
        try await context.finish()
        if status != .success { throw await context.exit(status) }
    }

    /// The verification itself, which can be cancelled.
    private func verification(
        _ location: StateLocation, _ context: CommandContext, _ progress: RedrawnLines
    ) -> Task<Result<Verification, Refusal>, Never> {
        let (selection, repair, json) = (picks.selection ?? Selection(), repair, json)
        let text = Mutex(VerifyProgressText())
        return Task {
            do throws(Refusal) {
                return .success(
                    try await Verification.run(location, selection: selection, repair: repair) { event in
                        switch event {
                        case .checked(let file):
                            if json { context.output.send(VerifyJSON.line(file, now: Date()), to: STDOUT_FILENO) }
                        case .progress(let state):
                            progress.show { size in
                                [text.withLock { $0.line(state, columns: size.columns, now: Date()) }]
                            }
                        }
                    })
            } catch {
                return .failure(error)
            }
        }
    }
}
