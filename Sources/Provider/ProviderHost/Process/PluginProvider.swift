package import Logging
package import ProviderKit
import Synchronization

/// A plugin's process as a provider: started with the first request, supervised, restarted, ended by ``shutDown()``.
///
/// Any number of requests may be made at a time; beyond the `concurrency` of the manifest they queue here, first come,
/// first served. Failures are thrown as ``ProviderError``: the plugin's own errors unchanged, a failure of the plugin
/// with one video as `.pluginFault`, a plugin that doesn't work at all as `.providerFailed`.
///
/// A provider that has started a process lives until ``shutDown()``.
package final class PluginProvider: Provider {
    package let plugin: Plugin
    let logger: Logger
    let watchdog: OrphanWatchdog
    let timeouts: PluginTimeouts
    private let dataFolder: String?
    let state: Mutex<PluginState>

    /// Makes a provider of `plugin`. No process is started yet.
    ///
    /// - Parameter dataFolder: an existing folder that it may write to.
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

    /// The reason why the plugin doesn't work for the rest of the run, if so: it can't be started, or failed on three
    /// different requests without a good answer in between.
    package var brokenReason: String? { state.withLock { $0.supervision.brokenReason } }

    /// Asks for a video's location. Defaults of the manifest's parameters are filled in.
    package func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        try await resolve(request, with: nil)
    }

    /// Asks for a video's location. `credentials` replace those of the request when it is sent.
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

    /// Keeps the secrets of an answer, which came with a listing and is used now, out of the plugin's messages.
    package func learn(_ resolution: Resolution) { state.withLock { $0.redactor.learn(resolution) } }

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

    /// Asks for one page of the user's courses. Defaults of the manifest's parameters are filled in.
    package func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        try await courses(request, with: nil)
    }

    /// Asks for one page of the user's courses. `credentials` replace those of the request when it is sent.
    package func courses(
        _ request: CoursesRequest, with credentials: RequestCredentials?
    ) async throws(ProviderError) -> CourseList {
        var request = request
        plugin.manifest.parameters.fillDefaults(&request.parameters)
        guard case .courses(let list) = try await ask(.courses(request), credentials) else { throw Self.mismatch }
        return list
    }

    /// Asks what is at an address.
    package func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        try await recognise(request, with: nil)
    }

    /// Asks what is at an address. `credentials` replace those of the request when it is sent.
    package func recognise(
        _ request: RecogniseRequest, with credentials: RequestCredentials?
    ) async throws(ProviderError) -> Recognition {
        guard case .recognition(let answer) = try await ask(.recognise(request), credentials) else {
            throw Self.mismatch
        }
        return answer
    }

    /// Turns secrets typed by the user into credentials. Defaults of the manifest's parameters are filled in.
    package func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        var request = request
        plugin.manifest.parameters.fillDefaults(&request.parameters)
        guard case .login(let login) = try await ask(.login(request)) else { throw Self.mismatch }
        return login
    }

    /// Waits, with a bound, for answers to abandoned requests that may renew the credentials sent with them.
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

    /// Fails open requests, closes the plugin's standard input and waits until its processes are gone: by themselves,
    /// else by TERM, else by KILL; one that isn't gone some seconds later is left. Later requests fail as cancelled.
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
        _ question: OutgoingRequest, _ credentials: RequestCredentials? = nil
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
        // A request that was answered and cancelled at the same time.
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
