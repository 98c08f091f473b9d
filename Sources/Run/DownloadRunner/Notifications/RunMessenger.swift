package import Hooks
import ProviderHost
import Synchronization

/// Tells the user's commands and receivers of a whole run: that it has begun and ended, and that it failed.
package final class RunMessenger: Sendable {
    private struct State {
        var isHurried = false
        /// While commands run.
        var runner: HookRunner?
    }

    /// The limit on an attempt to ping, in seconds; in a hurry a sync that systemd stops has 20 for all of its end.
    private static let (pingLimit, hurriedPingLimit) = (10, 4)

    private let settings: HookSettings
    private let caFile: String?
    private let log: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - caFile: certificate authorities to trust instead of the system's.
    ///   - log: takes a line of a command's output.
    package init(_ settings: HookSettings, caFile: String?, log: @escaping @Sendable (String) -> Void) {
        self.settings = settings
        self.caFile = caFile
        self.log = log
    }

    /// The process has to end: commands are ended, and no post is sent a second time.
    package func hurry() {
        state.withLock { state in
            state.isHurried = true
            return state.runner
        }?.shutDown()
    }

    /// Pings the receivers that want it. The ping of a begin isn't repeated: its receiver can do without it.
    ///
    /// - Parameter text: the result in one line.
    package func ping(_ ping: NotificationReceiver.Ping, _ text: String = "") async -> [UnsentNotice] {
        let body = (bytes: Array(text.utf8), contentType: "text/plain; charset=utf-8")
        let receivers = settings.notifications.filter { $0.format == .healthchecks }
        let limit = state.withLock { $0.isHurried } ? Self.hurriedPingLimit : Self.pingLimit
        return await post(receivers) { [sender] receiver in
            await sender.send(body, to: receiver.address(of: ping), limit: limit, once: ping == .begin).map {
                UnsentNotice(ping == .begin ? .begin : .end, $0)
            }
        }
    }

    /// Runs the commands of `on-failure`, then posts to the receivers of failures.
    package func tell(_ failure: FailureFacts) async -> [UnsentNotice] {
        let receivers = settings.notifications.filter { $0.isTold(of: .failures) }
        let problem = await runCommands(failure)
        let unsent = await post(receivers) { [sender] receiver in
            await sender.send(receiver.body(failure), to: receiver.url).map { UnsentNotice(.failure, $0) }
        }
        return (problem.map { [UnsentNotice(.failure, $0)] } ?? []) + unsent
    }

    private var sender: NotificationPost {
        NotificationPost(caFile: caFile) { [self] in state.withLock { $0.isHurried } }
    }

    /// All at once: one that doesn't answer delays no other.
    private func post(
        _ receivers: [NotificationReceiver], _ send: @escaping @Sendable (NotificationReceiver) async -> UnsentNotice?
    ) async -> [UnsentNotice] {
        await withTaskGroup(of: (Int, UnsentNotice?).self) { group in
            for (number, receiver) in receivers.enumerated() {
                group.addTask { (number, await send(receiver)) }
            }
            var unsent: [(Int, UnsentNotice?)] = []
            for await one in group { unsent.append(one) }
            return unsent.sorted { $0.0 < $1.0 }.compactMap(\.1)
        }
    }

    private func runCommands(_ failure: FailureFacts) async -> NotificationProblem? {
        guard settings.has(.onFailure) else { return nil }
        let watchdog = OrphanWatchdog()
        let runner = HookRunner(settings, jobs: { 1 }, watch: watchdog.groupWatch, log: log)
        let isHurried = state.withLock { state in
            state.runner = runner
            return state.isHurried
        }
        if isHurried { runner.shutDown() }
        let problem = await runner.onFailure(failure)
        state.withLock { $0.runner = nil }
        await watchdog.close()
        return problem == .hook(.cancelled) ? nil : problem
    }
}
