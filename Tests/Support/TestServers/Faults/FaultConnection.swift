import NIOCore
import NIOPosix

/// One connection to the fault host: takes requests apart and plays replies.
final class FaultConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let piece = 64 << 10

    private let host: FaultHost
    private let connection: Int
    private var received: [UInt8] = []

    init(host: FaultHost) {
        self.host = host
        connection = host.connected()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        received += buffer.readBytes(length: buffer.readableBytes) ?? []
        // Nobody who speaks HTTP begins like this; TLS does.
        if received.first == 0x16 {
            let refusal = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            context.writeAndFlush(wrapOutboundOut(refusal), promise: nil)
            return context.close(promise: nil)
        }
        guard received.count <= 1 << 20 else { return context.close(promise: nil) }
        guard let end = received.firstRange(of: [0x0D, 0x0A, 0x0D, 0x0A])?.upperBound else { return }
        let text = String(decoding: received[..<end], as: UTF8.self)
        guard var request = FaultRequest(text, connection: connection) else { return context.close(promise: nil) }
        let length = request.fields["content-length"].flatMap { Int($0) } ?? 0
        guard received.count >= end + length else { return }
        request.body = Array(received[end...])
        received = []
        let (number, reply, cut) = host.answer(request)
        if let cut {
            context.eventLoop.assumeIsolated().scheduleTask(in: cut) { context.close(promise: nil) }
        }
        guard reply.isHeld else { return play(reply, number, context) }
        let release = context.eventLoop.makePromise(of: Void.self)
        release.futureResult.assumeIsolated().whenSuccess { self.play(reply, number, context) }
        host.hold(request.path, release)
    }

    private func play(_ reply: FaultReply, _ number: Int, _ context: ChannelHandlerContext) {
        var head = reply.headBytes
        if let limit = reply.headLimit { head = Array(head.prefix(limit)) }
        context.write(wrapOutboundOut(ByteBuffer(bytes: head)), promise: nil)
        guard reply.headLimit == nil else { return context.flush() }
        send(reply, number, from: reply.body.lowerBound, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    /// Sends one piece of the body, and the next one once the system has taken it.
    private func send(_ reply: FaultReply, _ number: Int, from start: Int, _ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        guard start < reply.body.upperBound else { return end(reply, context) }
        // With a rate: ten pieces a second.
        let piece = reply.rate.map { max(1, $0 / 10) } ?? Self.piece
        let end = min(start + piece, reply.body.upperBound)
        write(reply.content.bytes(start..<end), reply, context)
        let loop = context.eventLoop.assumeIsolated()
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            self.host.served(end - start, of: number)
            guard reply.rate != nil else { return self.send(reply, number, from: end, context) }
            loop.scheduleTask(in: .milliseconds(100)) { self.send(reply, number, from: end, context) }
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    private func write(_ bytes: [UInt8], _ reply: FaultReply, _ context: ChannelHandlerContext) {
        var buffer = ByteBuffer()
        if reply.isChunked { buffer.writeString(String(bytes.count, radix: 16) + "\r\n") }
        buffer.writeBytes(bytes)
        if reply.isChunked { buffer.writeString("\r\n") }
        context.write(wrapOutboundOut(buffer), promise: nil)
    }

    private func end(_ reply: FaultReply, _ context: ChannelHandlerContext) {
        if !reply.tail.isEmpty { write(reply.tail, reply, context) }
        if reply.isChunked, case .keep = reply.ending {
            context.write(wrapOutboundOut(ByteBuffer(string: "0\r\n\r\n")), promise: nil)
        }
        context.flush()
        switch reply.ending {
        case .keep, .hang: break
        case .close: context.close(promise: nil)
        case .reset:
            // What is still on its way would be lost with the reset.
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(50)) { Self.reset(context) }
        }
    }

    private static func reset(_ context: ChannelHandlerContext) {
        let options = context.channel as? any SocketOptionProvider
        _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }
}
