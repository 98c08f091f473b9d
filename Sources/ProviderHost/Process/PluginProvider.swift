package import Logging
package import ProviderKit
import Synchronization

/// A plugin's process as a provider: started with the first request, supervised, restarted, ended by ``shutDown()``.
///
/// Any number of requests may be made at a time; beyond the `concurrency` of the manifest they queue here, first come,
/// first served. What goes wrong is said with a ``ProviderError``: the plugin's own errors as they are, a failure of
/// the plugin with one video as `.pluginFault`, a plugin that is out of order altogether as `.providerFailed`.
///
/// A provider that has started a process lives until ``shutDown()``.
package final class PluginProvider: Provider {
    /// The plugin behind it.
    package let plugin: Plugin
    let logger: Logger
    let watchdog: OrphanWatchdog
    let timeouts: PluginTimeouts
    private let dataFolder: String?
    let state: Mutex<PluginState>

    /// Makes a provider of `plugin`. No process is started yet.
    ///
    /// - Parameter dataFolder: what it may write to; there already.
    package init(
        plugin: Plugin, dataFolder: String? = nil, logger: Logger, watchdog: OrphanWatchdog,
        timeouts: PluginTimeouts = PluginTimeouts()
    ) {
        self.dataFolder = dataFolder
        self.plugin = plugin
        self.logger = logger
        self.watchdog = watchdog
        self.timeouts = timeouts
        state = Mutex(PluginState(supervision: Supervision(concurrency: plugin.manifest.concurrency)))
        BrokenPipes.ignore
    }

    /// Why the plugin is out of order for the rest of the run, if it is: it can't be started, or failed on
    /// three different requests without a good answer between.
    package var brokenReason: String? { state.withLock { $0.supervision.brokenReason } }

    /// Asks where a video is. Defaults of the manifest's parameters are filled in.
    package func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        try await resolve(request, with: nil)
    }

    /// Asks where a video is. `credentials` replace those of the request when it is sent.
    package func resolve(
        _ request: ResolveRequest, with credentials: RequestCredentials?
    ) async throws(ProviderError) -> Resolution {
        var request = request
        plugin.manifest.parameters.fillDefaults(&request.video.parameters)
        guard case .resolution(let resolution) = try await ask(.resolve(request), credentials) else {
            throw Self.mismatch
        }
        return resolution
    }

    /// Asks for one page of a course. Defaults of the manifest's parameters are filled in.
    package func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        try await list(request, with: nil)
    }

    /// Asks for one page of a course. `credentials` replace those of the request when it is sent.
    package func list(
        _ request: ListRequest, with credentials: RequestCredentials?
    ) async throws(ProviderError) -> Listing {
        var request = request
        plugin.manifest.parameters.fillDefaults(&request.course.parameters)
        guard case .listing(let listing) = try await ask(.list(request), credentials) else { throw Self.mismatch }
        return listing
    }

    /// Turns what a person typed into credentials. Defaults of the manifest's parameters are filled in.
    package func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        var request = request
        plugin.manifest.parameters.fillDefaults(&request.parameters)
        guard case .login(let login) = try await ask(.login(request)) else { throw Self.mismatch }
        return login
    }

    /// Waits for answers that nobody waits for any more, but that may renew the credentials which went with the question: at
    /// most so long.
    package func awaitRenewals(atMost bound: Duration) async {
        let (over, end) = AsyncStream<Void>.makeStream()
        let isOver = state.withLock { state in
            state.renewalsEnd = end
            return !state.awaitsRenewal
        }
        guard !isOver else { return }
        let timer = Task.detached {
            try? await Task.sleep(for: bound)
            end.finish()
        }
        for await _ in over {}
        timer.cancel()
    }

    /// Fails what is open, closes the plugin's standard input and waits until its processes are gone: by themselves,
    /// else by TERM, else by KILL; one that isn't gone some seconds after that is left. Requests after it fail as cancelled.
    package func shutDown() async {
        perform { $0.supervision.close() }
        let (tasks, timer) = state.withLock { (Array($0.tasks.values), $0.timer) }
        timer?.cancel()
        let (ended, end) = AsyncStream<Void>.makeStream()
        Task.detached {
            for task in tasks { await task.value }
            end.finish()
        }
        let bound = Task.detached { [timeouts] in
            try? await Task.sleep(for: timeouts.untilGone)
            end.finish()
        }
        for await _ in ended {}
        bound.cancel()
        await timer?.value
    }

    private static let mismatch = ProviderError(.pluginFault, "it answered a different request")

    private func ask(
        _ question: Question, _ credentials: RequestCredentials? = nil
    ) async throws(ProviderError) -> AnswerLine.Reply {
        guard plugin.manifest.methods.contains(question.method.rawValue) else {
            throw ProviderError(.unsupported, "plugin \(plugin.name) doesn't have \(question.method.rawValue)")
        }
        var question = question
        question.dataFolder = dataFolder
        let asked = question
        let id = state.withLock { state in
            state.lastRequest += 1
            state.learn(asked)
            return state.lastRequest
        }
        let result: Result<AnswerLine.Reply, ProviderError> = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                perform { state in
                    state.open[id] = OpenRequest(question: asked, credentials: credentials, caller: caller)
                    if state.cancelledEarly.remove(id) != nil { return [.fail(id, .closed)] }
                    return state.supervision.ask(id)
                }
            }
        } onCancel: {
            abandon(id)
        }
        // One that was answered and cancelled at the same time.
        if Task.isCancelled { state.withLock { _ = $0.cancelledEarly.remove(id) } }
        return try result.get()
    }

    private func abandon(_ id: Int) {
        let open: OpenRequest? = state.withLock { state in
            guard let open = state.open.removeValue(forKey: id) else {
                state.cancelledEarly.insert(id)
                return nil
            }
            if state.supervision.abandon(id) { state.abandoned[id] = open.credentials }
            return open
        }
        open?.caller.resume(returning: .failure(ProviderError(.cancelled, "the answer isn't needed any more")))
    }
}
