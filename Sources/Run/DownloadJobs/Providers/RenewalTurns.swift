import FileSystem
import Logging
import ProviderHost
import ProviderKit
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// Sends requests with a run's credentials. Where several processes use the same logins (``RunCredentials/isShared``),
/// one of them renews a provider's, with a lease, and the others take over what it has stored.
final class RenewalTurns: Sendable {
    /// A request, sent with these credentials.
    typealias Ask<Answer> = @Sendable (RequestCredentials) async throws(ProviderError) -> Answer

    private struct State {
        /// Who waits for the renewal of this process that is under way, by provider.
        var underway: [String: [AsyncStream<Void>.Continuation]] = [:]
        /// Providers whose leases don't work, which was told.
        var unleased: Set<String> = []
        /// Requests under way that may renew, which nothing interrupts.
        var renewing = 0
        /// Finished when there are none.
        var ends: [AsyncStream<Void>.Continuation] = []
    }

    /// What a lease was wanted for.
    private enum Turn {
        /// The lease; nil if there can't be one.
        case own(RenewalLease?)
        /// Somebody else has renewed meanwhile.
        case done
    }

    /// The time between two looks at another process's lease.
    private static let lookInterval = Duration.milliseconds(500)
    private static let looksForOthers = 4
    /// So often what others have renewed is tried before this process renews it.
    private static let triesOfOthers = 2
    /// So often a request is sent before it fails for now.
    private static let sendings = 10

    private let credentials: RunCredentials
    private let leases: RenewalLeases
    private let leaseBound: Duration
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter leaseBound: see ``LeaseWatch/bound``.
    init(_ credentials: RunCredentials, leaseBound: Duration = LeaseWatch.bound, logger: Logger) {
        self.credentials = credentials
        leases = RenewalLeases(folder: credentials.folder)
        self.leaseBound = leaseBound
        self.logger = logger
    }

    /// Sends a request to a provider. Renewed credentials are durable on return, even if the answer is an error.
    ///
    /// If the provider refuses credentials that aren't the present ones any more, it is asked once more with those.
    ///
    /// - Parameter timeout: of the provider for one request.
    func send<Answer: Sendable>(
        to name: String, timeout: Duration, _ ask: @escaping Ask<Answer>
    ) async throws(ProviderError) -> Answer {
        var mayRepeat = true
        for sending in 1...Self.sendings {
            await credentials.lookForOthers()
            let mayRenew = !credentials.isShared || credentials.isHelped(name)
            let request = SentCredentials(credentials, of: name)
            do throws(ProviderError) {
                let answer = try await ask(request.credentials(mayRenew: mayRenew))
                await credentials.save(name)
                return answer
            } catch {
                // A fault was asked once more, so that its error may be another one than that with the credentials.
                await credentials.save(name)
                switch error.kind {
                case .authRequired where mayRepeat && error.credentials == nil:
                    guard await hasOthersSoon(than: request.sent, of: name) else { throw error }
                    mayRepeat = false
                case .renewalNeeded where !mayRenew:
                    let triesOthers = sending <= Self.triesOfOthers
                    if triesOthers, await credentials.hasOthers(than: request.sent, of: name) { continue }
                    let sent = triesOthers ? request.sent : nil
                    guard let answer = try await renewing(name, timeout, unlessOthersThan: sent, ask) else { continue }
                    return answer
                default: throw error
                }
            }
        }
        throw .renewalTakesLong(name)
    }

    /// Waits, with a bound, for the answers to requests that may renew credentials.
    func finish(atMost bound: Duration) async {
        let (over, end) = AsyncStream<Void>.makeStream()
        let isOver = state.withLock { state in
            state.ends.append(end)
            return state.renewing == 0
        }
        guard !isOver else { return }
        let timer = Task.detached {
            try? await Task.sleep(for: bound)
            end.finish()
        }
        for await _ in over {}
        timer.cancel()
    }

    /// Sends a request that may renew, when it is this process's turn. Nil if somebody else has renewed: those of
    /// another process, if it has stored others than `sent`, or another request of this one.
    private func renewing<Answer: Sendable>(
        _ name: String, _ timeout: Duration, unlessOthersThan sent: RunCredentials.Held?, _ ask: @escaping Ask<Answer>
    ) async throws(ProviderError) -> Answer? {
        if let underway = underway(name) {
            for await _ in underway {}
            return nil
        }
        let lease: RenewalLease?
        do throws(ProviderError) {
            guard case .own(let taken) = try await turn(name, timeout, unlessOthersThan: sent) else {
                end(name)
                return nil
            }
            lease = taken
        } catch {
            end(name)
            throw error
        }
        let (answers, sink) = AsyncStream<Result<Answer, ProviderError>>.makeStream()
        state.withLock { $0.renewing += 1 }
        // Not a part of the task that wants the answer: a refresh token that is good once would be lost with it.
        Task.detached { [self] in
            sink.yield(await answer(name, holding: lease, ask))
            sink.finish()
            end(name)
            let ends = state.withLock { state in
                state.renewing -= 1
                defer { if state.renewing == 0 { state.ends = [] } }
                return state.renewing == 0 ? state.ends : []
            }
            for end in ends { end.finish() }
        }
        for await answer in answers { return try answer.get() }
        throw .notNeeded
    }

    /// The answer to a request that may renew, with the lease held until what it has renewed is stored.
    private func answer<Answer: Sendable>(
        _ name: String, holding lease: RenewalLease?, _ ask: Ask<Answer>
    ) async -> Result<Answer, ProviderError> {
        let beats = lease.map { lease in
            Task.detached {
                while (try? await Task.sleep(for: RenewalLease.beat)) != nil {
                    await Blocking.run { _ in lease.beat() }
                }
            }
        }
        let result: Result<Answer, ProviderError>
        let request = SentCredentials(credentials, of: name)
        do throws(ProviderError) {
            do throws(ProviderError) {
                result = .success(try await ask(request.credentials(mayRenew: true)))
            } catch {
                // Somebody without a lease, such as a sync that isn't a shard, may have renewed them at the same time.
                guard error.kind == .authRequired, error.credentials == nil,
                    await credentials.hasOthers(than: request.sent, of: name)
                else { throw error }
                result = .success(try await ask(request.credentials(mayRenew: true)))
            }
        } catch { result = .failure(error) }
        await credentials.save(name)
        beats?.cancel()
        await beats?.value
        if let lease { await Blocking.run { _ in lease.giveBack() } }
        return result
    }

    /// Whether there are other credentials than a provider has refused, or are soon: a plugin that knows no turns may
    /// have lost them to another process that is about to store what it got for them.
    private func hasOthersSoon(than sent: RunCredentials.Held, of name: String) async -> Bool {
        for look in 0...Self.looksForOthers {
            if await credentials.hasOthers(than: sent, of: name) { return true }
            guard credentials.isShared, sent.credentials != nil, look < Self.looksForOthers,
                (try? await Task.sleep(for: Self.lookInterval)) != nil
            else { break }
        }
        return false
    }

    /// Waits until it is this process's turn, or somebody else has renewed.
    private func turn(
        _ name: String, _ timeout: Duration, unlessOthersThan sent: RunCredentials.Held?
    ) async throws(ProviderError) -> Turn {
        var watch = LeaseWatch(bound: leaseBound)
        let deadline = ContinuousClock.now + timeout + leaseBound + .seconds(10)
        while true {
            do throws(StateError) {
                if let lease = try await look(name, &watch) {
                    guard let sent, await credentials.hasOthers(than: sent, of: name) else { return .own(lease) }
                    await Blocking.run { _ in lease.giveBack() }
                    return .done
                }
            } catch {
                if !error.isPassing || .now >= deadline {
                    if let sent, await credentials.hasOthers(than: sent, of: name) { return .done }
                    warn(name, error)
                    return .own(nil)
                }
            }
            if let sent, await credentials.hasOthers(than: sent, of: name) { return .done }
            guard .now < deadline else { throw .renewalTakesLong(name) }
            do { try await Task.sleep(for: Self.lookInterval) } catch { throw .notNeeded }
        }
    }

    /// Takes the lease if it is free, or its holder is gone.
    private func look(_ name: String, _ watch: inout LeaseWatch) async throws(StateError) -> RenewalLease? {
        let before = watch
        let (result, after) = await Blocking.run { [leases, logger] _ in
            var watch = before
            let result: Result<RenewalLease?, StateError>
            do throws(StateError) {
                if let sign = try leases.sign(of: name), watch.isGone(sign) {
                    let holder = sign.holder.map { " (process \($0.process) on \($0.host))" } ?? ""
                    logger.warning("who renews the login of provider '\(name)'\(holder) is gone; another one does it")
                    try leases.takeAway(name, sign)
                }
                result = .success(try leases.take(name))
            } catch { result = .failure(error) }
            return (result, watch)
        }
        watch = after
        return try result.get()
    }

    /// Ends with the renewal of this process that is under way; nil if there was none, and the caller's has begun.
    private func underway(_ name: String) -> AsyncStream<Void>? {
        state.withLock { state in
            guard state.underway[name] != nil else {
                state.underway[name] = []
                return nil
            }
            let (over, end) = AsyncStream<Void>.makeStream()
            state.underway[name]?.append(end)
            return over
        }
    }

    private func end(_ name: String) {
        let waiting = state.withLock { $0.underway.removeValue(forKey: name) ?? [] }
        for end in waiting { end.finish() }
    }

    private func warn(_ name: String, _ error: StateError) {
        guard state.withLock({ $0.unleased.insert(name).inserted }) else { return }
        logger.warning("the login of provider '\(name)' is renewed without a lease", error: Refusal(error))
    }
}

extension StateError {
    /// Whether the next call may succeed: a folder that somebody has removed in the meantime, as NFS tells it, or a
    /// lack of descriptors.
    fileprivate var isPassing: Bool {
        guard case .system(_, _, let errno) = self else { return false }
        return [.staleNFSFileHandle, .interrupted, .ioError, .tooManyOpenFiles, .tooManyOpenFilesInSystem]
            .contains(errno)
    }
}

/// The credentials of a request, and those that it was last sent with.
private final class SentCredentials: Sendable {
    private let run: RunCredentials
    private let provider: String
    private let last: Mutex<RunCredentials.Held>

    init(_ run: RunCredentials, of provider: String) {
        self.run = run
        self.provider = provider
        last = Mutex(run.held(of: provider))
    }

    var sent: RunCredentials.Held { last.withLock { $0 } }

    func credentials(mayRenew: Bool) -> RequestCredentials {
        RequestCredentials(
            mayRenew: mayRenew,
            current: {
                let held = self.run.held(of: self.provider)
                self.last.withLock { $0 = held }
                return held.credentials
            }, renew: { self.run.renew($0, of: self.provider, after: self.sent) })
    }
}
