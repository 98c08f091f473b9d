import CommandOutput
import DownloadRunner
import FileSystem
import Foundation
import Hooks
import SyncFacts
import Synchronization

/// What the user's commands and receivers are told of a run while it goes on: its begin, its end, its failures.
///
/// They are told one after the other beside the run, which waits for none of it before ``finish()``.
struct RunNotices {
    /// Ends it in a hurry, for signals.
    let messenger: RunMessenger
    private let hooks: HookSettings
    private let shard: String?
    private let zone: TimeZone
    private var failures = FailureLog()
    private var told = ToldFailures()
    /// Whether the ping of a begin has no end yet.
    private var isBegun = false
    private var work: Task<Void, Never>?
    private let warnings = Warnings()

    init(_ hooks: HookSettings, shard: String?, zone: TimeZone, messenger: RunMessenger) {
        self.hooks = hooks
        self.shard = shard
        self.zone = zone
        self.messenger = messenger
    }

    /// A run begins, or another pass of one that watches.
    mutating func begin() {
        isBegun = true
        guard hooks.pings else { return }
        add { await $0.ping(.begin) }
    }

    mutating func receive(_ event: SyncEvent) {
        if hooks.tellsFailures { failures.receive(event) }
    }

    /// A run, or a pass of one that watches, has ended. At the end of the run after a rest nothing is new.
    ///
    /// - Parameter isRefused: whether it never began.
    mutating func end(_ report: RunReport, isRefused: Bool = false) {
        let status = ExitStatus(report.summary.conditions)
        if hooks.pings, isBegun || isRefused {
            let text = ExitText.line(report.summary).map { "\($0)\n" } ?? ""
            let line = text + SummaryText.line(report.summary)
            add { await $0.ping(status.isSuccess ? .success : .failure, line) }
        }
        isBegun = false
        defer { failures = FailureLog() }
        guard told.note(report.summary), hooks.tellsFailures else { return }
        let facts = failures.facts(of: report, shard: shard, host: HostName.current, zone: zone)
        add { await $0.tell(facts) }
    }

    /// The failures to tell so far, as warnings without `warning: `; each is returned once.
    func takeWarnings() -> [String] { warnings.take() }

    /// Waits until all are told; returns the failures as ``takeWarnings()`` does.
    func finish() async -> [String] {
        await work?.value
        return takeWarnings()
    }

    private mutating func add(_ step: @escaping @Sendable (RunMessenger) async -> [UnsentNotice]) {
        work = Task { [work, messenger, warnings] in
            await work?.value
            warnings.add(await step(messenger).map(\.message))
        }
    }
}

/// The failures to tell that nobody has been warned of.
private final class Warnings: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ more: [String]) { texts.withLock { $0 += more } }

    func take() -> [String] {
        texts.withLock { texts in
            defer { texts = [] }
            return texts
        }
    }
}
