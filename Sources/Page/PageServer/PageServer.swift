import FileSystem
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
package import PageHTTP
import SystemPackage

/// What bounds the clients of the page.
package struct ServerLimits: Sendable {
    /// At the same time. A proxy's address has all of its users' connections, and so has a larger bound.
    package var connectionsPerAddress = 64
    package var connectionsPerProxy = 512
    package var connections = 1024
    /// For the head of a request, and between two requests of a connection, in seconds. An answer may take as long as
    /// the client wants: a paused player is one.
    package var headSeconds: Int64 = 20
    /// Of a form, in bytes.
    package var form = 64 << 10
    /// Of all fields of a request's head, in bytes.
    package var head = 32 << 10

    package init() {}
}

/// The web server of the page: requests become values, and values answers. It knows neither videos nor users.
package struct PageServer: Sendable {
    /// The bytes of a piece of a file. An answer holds two: one that is written, and one that waits for that.
    static let chunk = 64 << 10

    private let host: String
    private let port: Int
    private let base: String
    private let limits: ServerLimits
    private let proxies: [AddressBlock]
    private let logger: Logger
    private let answer: @Sendable (PageRequest) async -> PageResponse

    /// - Parameters:
    ///   - host: the numeric address to listen at.
    ///   - port: 0 takes any that is free.
    ///   - base: the path of the page's root, with a slash at both ends.
    package init(
        host: String, port: Int, base: String = "/", limits: ServerLimits = ServerLimits(),
        proxies: [AddressBlock] = [], logger: Logger, answer: @escaping @Sendable (PageRequest) async -> PageResponse
    ) {
        self.host = host
        self.port = port
        self.base = base
        self.limits = limits
        self.proxies = proxies
        self.logger = logger
        self.answer = answer
    }

    /// Serves until the task is cancelled.
    ///
    /// - Parameter started: called with the port once it listens.
    package func run(started: @escaping @Sendable (Int) async -> Void) async throws {
        let counter = ConnectionCounter(limits: limits, proxies: proxies)
        var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
        decoder.maxHeaderListSize = limits.head
        decoder.maxHeaderFieldSize = limits.head / 2
        decoder.maxHeaderFieldCount = 100
        let server = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionBound(counter)],
                idleTimeout: .seconds(limits.headSeconds), httpDecoderConfiguration: decoder))
        let application = Application(
            responder: Responder(base: base, form: limits.form, answer: answer), server: server,
            configuration: .init(
                address: .hostname(host, port: port), serverName: nil,
                availableConnectionsDelegate: .maximum(limits.connections, logger: logger)),
            onServerRunning: { channel in await started(channel.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }
}

/// A request with the address that it comes from.
private struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    var remote: String { channel.remoteAddress?.ipAddress ?? "" }
    /// The one that writes to the connection.
    var loop: any EventLoop { channel.eventLoop }
}

private struct Responder: HTTPResponder {
    let base: String
    let form: Int
    let answer: @Sendable (PageRequest) async -> PageResponse

    func respond(to request: Request, context: Context) async throws -> Response {
        guard let method = PageRequest.Method(rawValue: request.method.rawValue) else {
            return Self.response(.text("This method isn't used here.", status: 405), to: request, context)
        }
        var headers: [String: String] = [:]
        for field in request.headers {
            let name = field.name.canonicalName
            headers[name] = headers[name].map { "\($0), \(field.value)" } ?? field.value
        }
        if let authority = request.head.authority { headers["host"] = authority }
        guard
            var value = PageRequest(
                method: method, target: request.head.path ?? "", base: base, headers: headers, remote: context.remote)
        else { return Self.response(.text("There is no such page.", status: 404), to: request, context) }
        if method == .post {
            do {
                let body = try await request.body.collect(upTo: form)
                value.form = PageRequest.fields(String(buffer: body))
            } catch { return Self.response(.text("The form is too large.", status: 413), to: request, context) }
        }
        return Self.response(await answer(value), to: request, context)
    }

    private static func response(_ answer: PageResponse, to request: Request, _ context: Context) -> Response {
        var headers = HTTPFields()
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        let isHead = request.method == .head
        let body: ResponseBody
        switch answer.body {
        case .none: body = ResponseBody()
        case .bytes(let bytes):
            headers[.contentLength] = "\(bytes.count)"
            body = isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .file(let file, let range):
            headers[.contentLength] = "\(range.count)"
            body =
                isHead
                ? ResponseBody()
                : Self.body(of: range, descriptor: file.descriptor, owner: file, loop: context.loop)
        case .events(let events):
            body = isHead ? ResponseBody() : Self.body(of: events, request.body)
        }
        return Response(status: .init(code: answer.status), headers: headers, body: body)
    }

    /// Reads a chunk when the one before is being written.
    private static func body(
        of range: Range<Int64>, descriptor: CInt, owner: any Sendable, loop: any EventLoop
    ) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            var position = range.lowerBound
            while position < range.upperBound {
                let (start, length) = (position, Int(min(Int64(PageServer.chunk), range.upperBound - position)))
                let buffer = try await NIOThreadPool.singleton.runIfActive {
                    var buffer = ByteBufferAllocator().buffer(capacity: length)
                    try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { bytes in
                        try FileDescriptor(rawValue: descriptor).read(
                            fromAbsoluteOffset: start, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<length]))
                    }
                    return buffer
                }
                // A file that has become shorter ends the connection: the client sees that its answer isn't whole.
                guard buffer.readableBytes > 0 else { throw CutFile() }
                position += Int64(buffer.readableBytes)
                try await writer.write(buffer)
                // A writer knows that the connection takes no more once the loop has had the chunk. A busy loop would
                // get the whole file.
                try await loop.submit {}.get()
            }
            try await writer.finish(nil)
            withExtendedLifetime(owner) {}
        }
    }

    private static func body(of events: AsyncStream<[UInt8]>, _ request: RequestBody) -> ResponseBody {
        ResponseBody { writer in
            try await request.consumeWithCancellationOnInboundClose { _ in
                for await event in events { try await writer.write(ByteBuffer(bytes: event)) }
            }
            try await writer.finish(nil)
        }
    }
}

private struct CutFile: Error {}
