import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// An HTTP server that misbehaves as the URL tells it to. `/media/SEED/SIZE` (an extension may follow) is the content
/// ``TestContent``, with ETag, Last-Modified, ranges and If-Range done right, but for:
///
/// | query | |
/// |---|---|
/// | `times=N` | all faults below only for the first N requests of the target |
/// | `cut=N`, `reset=N`, `stall=N` | behind N bytes of the body: closed, reset, nothing more |
/// | `random-cut=MS` | closed after a random time up to that many milliseconds |
/// | `stall-head=N` | N bytes of the head, then nothing more |
/// | `extra=N` | N bytes behind the end |
/// | `rate=N` | bytes a second |
/// | `length=none`, `chunked`, `lie` | no length; chunked; 1,000 bytes more announced than sent |
/// | `range=ignore`, `shift`, `total`, `star`, `short`, `none`, `malformed`, `multipart`, `416` | answers to ranges |
/// | `range=early` | like `star`, and only half of what `Content-Range` says |
/// | `part=gzip`, `twice`, `page`, STATUS | every answer to a range; whole files are as they were (`times` doesn't end it) |
/// | `cap=N` | N bytes in the answer to a range, at most |
/// | `unsatisfied=N`, `none` | the size that goes with 416 |
/// | `if-range=ignore` | answers 206 whatever the condition |
/// | `etag=none`, `weak`, `request`, `connection`, `change`, TEXT | another one for each request, connection, or once |
/// | `modified=none`, `now`, `change` | Last-Modified |
/// | `date=none`, `skew=S` | Date; seconds by which it is wrong |
/// | `gzip` | says that the body is compressed |
/// | `double=content-length`, `content-range` | the field twice, contradicting |
/// | `headers=N`, `header-bytes=N`, `raw=LINE`, `first=LINE` | more fields, a long one, any line; one before the others |
/// | `informational=N` | 103 before the answer |
/// | `type=T` | Content-Type |
/// | `status=N`, `retry-after=S`, `date` | a refusal |
/// | `token=T` | 401 without `Authorization: Bearer T` |
/// | `expire=N`, `expired=STATUS` | cut once N bytes of the target are served, then refused with 410 |
///
/// `/redirect/N?to=URL` redirects N times to itself, then there; `/redirect/loop` for ever; with `status=`, `first=LINE`,
/// `double=location`, and `body=stall` or `endless`: a body that never comes, or never ends.
///
/// A path that a test has written answers for with ``script(_:_:)`` has these.
package final class FaultHost: Sendable {
    private struct State {
        var requests: [FaultRequest] = []
        var histories: [String: FaultHistory] = [:]
        var connections = 0
        var open: Set<Int> = []
        var scripts: [String: Script] = [:]
        /// Who waits for a path to be let go.
        var held: [String: [EventLoopPromise<Void>]] = [:]
        var released: Set<String> = []
    }

    /// What is left of a path's answers; the last one stays.
    private struct Script {
        var answers: [ScriptedAnswer]

        mutating func next() -> ScriptedAnswer { answers.count > 1 ? answers.removeFirst() : answers[0] }
    }

    package let port: Int
    /// `http://127.0.0.1:PORT`.
    package var baseURL: String { "http://127.0.0.1:\(port)" }

    private let state: Mutex<State>
    private let channel: any Channel
    private let random: SeededRandom

    /// Starts one on a free port.
    /// - Parameter seed: of the random times.
    package static func start(seed: UInt64 = 1) async throws -> FaultHost {
        // The handlers need the host, and the host the channel.
        let owner = Owner()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 512)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let host = owner.host.withLock({ $0 }) else { return }
                    try channel.pipeline.syncOperations.addHandler(FaultConnection(host: host))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let host = FaultHost(channel, seed: seed)
        owner.host.withLock { $0 = host }
        return host
    }

    private final class Owner: Sendable {
        let host = Mutex<FaultHost?>(nil)
    }

    private init(_ channel: any Channel, seed: UInt64) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
        state = Mutex(State())
        random = SeededRandom(seed: seed)
    }

    /// Closes the port; connections end with their clients.
    package func stop() async {
        try? await channel.close()
        releaseAll()
    }

    deinit { releaseAll() }

    /// Answers a path with these, one after the other, and with the last from then on.
    package func script(_ path: String, _ answers: [ScriptedAnswer]) {
        guard !answers.isEmpty else { return }
        state.withLock { $0.scripts[path] = Script(answers: answers) }
    }

    /// Lets the answers of a path go that are held, and those to come.
    package func release(_ path: String) {
        let promises = state.withLock { state in
            state.released.insert(path)
            return state.held.removeValue(forKey: path) ?? []
        }
        for promise in promises { promise.succeed() }
    }

    private func releaseAll() {
        for path in state.withLock({ Array($0.held.keys) }) { release(path) }
    }

    func hold(_ path: String, _ promise: EventLoopPromise<Void>) {
        let isReleased = state.withLock { state in
            if state.released.contains(path) { return true }
            state.held[path, default: []].append(promise)
            return false
        }
        if isReleased { promise.succeed() }
    }

    /// The absolute URL of a target.
    package func url(_ target: String) -> String { baseURL + target }

    /// The absolute URL of a content with faults.
    package func url(_ content: TestContent, _ query: String = "") -> String {
        url("/media/\(content.seed)/\(content.size).mp4" + (query.isEmpty ? "" : "?" + query))
    }

    /// All requests so far; those for one path, if given.
    package func requests(path: String? = nil) -> [FaultRequest] {
        state.withLock { $0.requests.filter { path == nil || $0.path == path } }
    }

    /// How many connections have been made.
    package var connections: Int { state.withLock { $0.connections } }

    func connected() -> Int {
        state.withLock { state in
            state.connections += 1
            return state.connections - 1
        }
    }

    /// Records a request and says how to answer it, and when to cut, if at all.
    func answer(_ request: FaultRequest) -> (number: Int, reply: FaultReply, cut: TimeAmount?) {
        let (number, reply) = state.withLock { state in
            var request = request
            request.number = state.requests.count
            let reply =
                state.scripts[request.path]?.next().reply(to: request)
                ?? FaultPlan.reply(to: request, state.histories[request.target] ?? FaultHistory(), now: Date())
            request.status = reply.status
            state.histories[request.target, default: FaultHistory()].requests += 1
            state.requests.append(request)
            return (request.number, reply)
        }
        let longest = request.query["random-cut"].flatMap { Int($0) }
        return (number, reply, longest.map { .milliseconds(Int64(random.next(in: 0...$0))) })
    }

    func served(_ count: Int, of number: Int) {
        state.withLock { state in
            state.requests[number].served += count
            state.histories[state.requests[number].target, default: FaultHistory()].served += count
        }
    }
}
