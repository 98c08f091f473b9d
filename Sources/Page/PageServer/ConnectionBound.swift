import NIOCore
import PageHTTP
import Synchronization

/// How many connections each address has.
final class ConnectionCounter: Sendable {
    private let counts = Mutex<[String: Int]>([:])
    private let limits: ServerLimits
    private let proxies: [AddressBlock]

    init(limits: ServerLimits, proxies: [AddressBlock]) {
        self.limits = limits
        self.proxies = proxies
    }

    /// Whether one more is allowed; then it counts.
    func add(_ address: String) -> Bool {
        let isProxy = proxies.contains { $0.contains(address) }
        let most = isProxy ? limits.connectionsPerProxy : limits.connectionsPerAddress
        return counts.withLock { counts in
            guard counts[address, default: 0] < most else { return false }
            counts[address, default: 0] += 1
            return true
        }
    }

    func remove(_ address: String) {
        counts.withLock { counts in
            let left = (counts[address] ?? 1) - 1
            counts[address] = left > 0 ? left : nil
        }
    }
}

/// Closes a connection of an address that has too many, and lets the others take a chunk at a time.
final class ConnectionBound: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let counter: ConnectionCounter
    private var counted: String?

    init(_ counter: ConnectionCounter) { self.counter = counter }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { count(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        count(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    private func count(_ context: ChannelHandlerContext) {
        guard counted == nil else { return }
        let address = context.remoteAddress?.ipAddress ?? ""
        guard counter.add(address) else { return context.close(promise: nil) }
        counted = address
        let most = PageServer.chunk / 2
        _ = context.channel.setOption(.writeBufferWaterMark, value: .init(low: most / 2, high: most))
    }

    private func forget() {
        if let counted { counter.remove(counted) }
        counted = nil
    }
}
