import CommandOutput
import CourseCatalog
import DownloadRunner
import DownloadStore
import Foundation
import Operations
import RunAccess
import SyncDisplay
import SyncFacts
import Synchronization
import Terminal

/// A sync of all shards of the library, one after the other in this process.
extension SyncSession {
    /// Runs it, or plans it, to its end.
    func runAllShards() async -> ExitStatus {
        let started = Date()
        var options = settings.options(catalogs: catalogs, onTerminal: Self.isOnTerminal)
        // A shard that another process is syncing is left out, unless somebody wants to wait for it.
        options.wait = settings.wait.value ?? .zero
        let shards: [Shard]
        do throws(Refusal) {
            var location = settings.location
            location.takesAllShards = true
            let (found, library) = try location.shardsToSync(count: settings.shards.value)
            options.library = library
            shards = found
        } catch {
            return await end(SyncSummary(error), started: started)
        }
        let round = ShardRound(
            shards, options, limitsPerShard: settings.limitsPerShard.value, started: started)
        if settings.dryRun.value { return await plan(round, options, shards) }
        return await run(round, started: started) { current in await firstMistakes(options, shards, current) }
    }

    /// The mistakes in the catalogs, each of which is found by at least one shard, and the selectors that match in
    /// none, before any of them begins.
    private func firstMistakes(
        _ options: SyncOptions, _ shards: [Shard], _ current: CurrentShard? = nil
    ) async -> SyncSummary? {
        var unmatched = options.only
        for shard in shards where current?.isStopped != true {
            var options = options
            options.shard = shard
            let (catalog, report) = await CatalogCheck.read(CatalogSources(options), plugins: options.plugins)
            if !report.conditions.isEmpty { return SyncSummary(report) }
            let matches = CatalogCheck.matches(unmatched, in: catalog)
            unmatched = zip(unmatched, matches).filter { !$0.1 }.map(\.0)
        }
        guard current?.isStopped != true, !unmatched.isEmpty else { return nil }
        return SyncSummary(
            conditions: [.usage],
            errors: unmatched.map { .refusal(.selection(.unmatched([UnmatchedSelector($0, among: [])]))) })
    }

    private func end(_ summary: SyncSummary, started: Date) async -> ExitStatus {
        let readers = readers(ofShard: nil)
        readers.tellEnd(summary)
        await readers.finish(summary)
        if !settings.dryRun.value {
            let command = settings.onFinish.value.map { FinishCommand($0) }
            var notices = notices(readers)
            notices.begin()
            await conclude(runEnding(command), report(summary, started: started), &notices)
        }
        return ExitStatus(summary.conditions)
    }

    private func plan(_ round: ShardRound, _ options: SyncOptions, _ shards: [Shard]) async -> ExitStatus {
        if let refused = await firstMistakes(options, shards) { return await tell([], refused) }
        var round = round
        var plans: [(shard: String?, plan: DryRunPlan)] = []
        while let (shard, options) = round.next(at: Date()) {
            let plan = await DryRun(options, logger: logger(readers(ofShard: shard.text))).plan()
            let earlier = plans.flatMap(\.plan.warnings)
            let repeated = plan.warnings.count { earlier.contains($0) }
            _ = round.take(plan.summary, repeated: repeated)
            plans.append((shard.text, plan))
        }
        var summary = round.summary(at: Date())
        summary.seconds = 0
        return await tell(plans, summary)
    }

    /// - Parameter check: returns the mistakes in the catalogs, if there are any.
    private func run(
        _ round: ShardRound, started: Date, check: (CurrentShard) async -> SyncSummary?
    ) async -> ExitStatus {
        var round = round
        let current = CurrentShard()
        var notices = notices(readers(ofShard: nil))
        let messenger = notices.messenger
        notices.begin()
        let command = settings.onFinish.value.map { FinishCommand($0) }
        let abort: @Sendable () -> Void = {
            command?.kill()
            current.terminal?.restore()
            DescriptorWriter.write(Array("aborted\n".utf8), to: STDERR_FILENO)
            _exit(ExitStatus.interruptedTwice.rawValue)
        }
        let stop: @Sendable () -> Void = {
            current.stop()
            messenger.hurry()
            command?.stop()
        }
        let signals = SignalWatch(stop: stop, abort: abort, pause: pause(current))
        var told: Set<String> = []
        let refused = await check(current)
        var areErrorsTold = refused == nil
        while refused == nil, let (shard, options) = round.next(at: Date()) {
            guard !current.isStopped else {
                round.stop(.signal)
                break
            }
            var readers = readers(ofShard: shard.text)
            let (summary, repeated) = await follow(options, &readers, &notices, in: current, told: &told)
            let shown = round.take(summary, repeated: repeated)
            areErrorsTold = areErrorsTold && shown != nil
            await readers.finishShard(shown)
        }
        let summary = refused ?? round.summary(at: Date())
        let readers = readers(ofShard: nil)
        readers.tellEnd(summary)
        await readers.finish(summary, areErrorsTold: areErrorsTold)
        await conclude(runEnding(command), report(summary, started: started), &notices)
        withExtendedLifetime(signals) {}
        return ExitStatus(summary.conditions)
    }

    /// The handler of Ctrl-Z if there is a live view to remove first.
    private func pause(_ current: CurrentShard) -> (@Sendable () -> Void)? {
        guard readers(ofShard: nil).terminal != nil else { return nil }
        return { @Sendable in
            let sleep: @Sendable () -> Void = { kill(getpid(), SIGSTOP) }
            if let terminal = current.terminal { terminal.step { sleep() } } else { sleep() }
        }
    }

    /// Runs one shard. Warnings of catalogs that another one has given already are counted, and not given again.
    private func follow(
        _ options: SyncOptions, _ readers: inout RunReaders, _ notices: inout RunNotices, in current: CurrentShard,
        told: inout Set<String>
    ) async -> (SyncSummary, repeated: Int) {
        let run = SyncRun(options, logger: logger(readers), wording: \.message)
        current.begin(run, readers.terminal)
        defer { current.end() }
        readers.start()
        var repeated = 0
        let events = run.events
        async let ending = run.run()
        for await event in events {
            if case .warning(let warning, nil) = event, case .doubtful = warning,
                !told.insert(warning.message).inserted
            {
                repeated += 1
                continue
            }
            readers.receive(event)
            notices.receive(event)
        }
        return (await ending, repeated)
    }
}

/// The shard that is being synced, for signals.
private final class CurrentShard: Sendable {
    private struct State {
        var run: SyncRun?
        var terminal: TerminalScreen?
        var isStopped = false
    }

    private let state = Mutex(State())

    var isStopped: Bool { state.withLock { $0.isStopped } }
    var terminal: TerminalScreen? { state.withLock { $0.terminal } }

    func begin(_ run: SyncRun, _ terminal: TerminalScreen?) {
        let isStopped = state.withLock { state in
            (state.run, state.terminal) = (run, terminal)
            return state.isStopped
        }
        if isStopped { run.stop(.signal) }
    }

    func end() { state.withLock { ($0.run, $0.terminal) = (nil, nil) } }

    /// Ends this shard, and the round with it.
    func stop() {
        let run = state.withLock { state in
            state.isStopped = true
            return state.run
        }
        run?.stop(.signal)
    }
}
