import NIOCore
import NIOPosix
import Synchronization

/// A TCP forwarder that cuts every connection after a random time, whatever is said over it.
package final class CuttingProxy: Sendable {
    package let port: Int
    /// `http://127.0.0.1:PORT`.
    package var baseURL: String { "http://127.0.0.1:\(port)" }

    private let channel: any Channel
    private let counts: Counts

    private final class Counts: Sendable {
        let connections = Atomic(0)
        let cuts = Atomic(0)
    }

    /// Starts one on a free port.
    /// - Parameters:
    ///   - upstream: the port of the loopback interface to forward to.
    ///   - cut: the shortest and the longest life of a connection; nil never cuts.
    ///   - seed: of the random times.
    package static func start(
        upstream: Int, cut: ClosedRange<Duration>? = .seconds(1)...(.seconds(8)), seed: UInt64
    ) async throws -> CuttingProxy {
        let random = SeededRandom(seed: seed)
        let counts = Counts()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 512)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { client in
                counts.connections.add(1, ordering: .relaxed)
                let life = cut.map { random.next(in: milliseconds($0.lowerBound)...milliseconds($0.upperBound)) }
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: upstream)
                    .flatMapThrowing { server in
                        let (near, far) = (Forwarder(), Forwarder())
                        near.partner = far
                        far.partner = near
                        try client.pipeline.syncOperations.addHandler(near)
                        try server.pipeline.syncOperations.addHandler(far)
                        if let life {
                            client.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(life))) {
                                if client.isActive { counts.cuts.add(1, ordering: .relaxed) }
                                client.close(promise: nil)
                                server.close(promise: nil)
                            }
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return CuttingProxy(channel, counts)
    }

    private init(_ channel: any Channel, _ counts: Counts) {
        self.channel = channel
        self.counts = counts
        port = channel.localAddress?.port ?? 0
    }

    /// How many connections there were.
    package var connections: Int { counts.connections.load(ordering: .relaxed) }

    /// How many of them were cut while they were open.
    package var cuts: Int { counts.cuts.load(ordering: .relaxed) }

    /// Closes the port.
    package func stop() async {
        try? await channel.close()
    }

    private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}

/// One side of a forwarded connection: reads from its own channel only when the partner has taken what was read.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var partner: Forwarder?
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if context.channel.isActive { context.read() }
    }

    /// The accepted side becomes active only now, behind its initializer.
    func channelActive(context: ChannelHandlerContext) { context.read() }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        partner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let target = partner?.context else { return context.close(promise: nil) }
        let promise = target.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.context?.read() }
        target.writeAndFlush(data, promise: promise)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { partner?.context?.close(mode: .output, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        partner?.context?.close(promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
