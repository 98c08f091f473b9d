import Dispatch
import ProviderKit
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An HTTP/1.1 server on a free port of 127.0.0.1, with one thread per connection.
package final class LoopbackServer: Sendable {
    private static let headBound = 64 << 10
    private static let bodyBound = 16 << 20
    /// The seconds that a connection may be silent.
    private static let patience = 60
    #if canImport(Darwin)
    private static let noSignal: Int32 = 0
    #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    private struct State {
        var sockets: Set<Int32> = []
        var requests = 0
        var isClosed = false
    }

    let port: UInt16
    private let socket: Int32
    private let state = Mutex(State())
    private let respond: @Sendable (ReceivedRequest) -> ServedResponse
    private let served: @Sendable (ReceivedRequest) -> Void

    /// `http://127.0.0.1:PORT`.
    package var origin: String { "http://127.0.0.1:\(port)" }

    /// How many requests came.
    var requests: Int { state.withLock { $0.requests } }

    /// Opens a port and answers each request with `respond`, on several threads, until ``close()``. `served` is called
    /// when an answer is written.
    package init(
        _ respond: @escaping @Sendable (ReceivedRequest) -> ServedResponse,
        served: @escaping @Sendable (ReceivedRequest) -> Void = { _ in }
    ) throws(FixtureProblem) {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = Self.open(kind)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard descriptor >= 0, isOpen else { throw .noPort }
        socket = descriptor
        port = UInt16(bigEndian: address.sin_port)
        self.respond = respond
        self.served = served
        DispatchQueue(label: "fixtures.accept").async { [self] in
            while let connection = accept() {
                DispatchQueue(label: "fixtures.connection").async { [self] in serve(connection) }
            }
        }
    }

    /// Ends all connections and frees the port.
    package func close() {
        let sockets = state.withLock { state in
            state.isClosed = true
            return state.sockets
        }
        for other in sockets { shutdown(other, Int32(SHUT_RDWR)) }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private static func open(_ kind: Int32) -> Int32 { Self.systemSocket(AF_INET, kind, 0) }

    private static func systemSocket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.socket(family, kind, number)
        #elseif canImport(Musl)
        Musl.socket(family, kind, number)
        #else
        Darwin.socket(family, kind, number)
        #endif
    }

    private func accept() -> Int32? {
        while true {
            #if canImport(Glibc)
            let descriptor = Glibc.accept(socket, nil, nil)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            #elseif canImport(Musl)
            let descriptor = Musl.accept(socket, nil, nil)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            #else
            let descriptor = Darwin.accept(socket, nil, nil)
            #endif
            if descriptor >= 0 {
                let isClosed = state.withLock { state in
                    if !state.isClosed { state.sockets.insert(descriptor) }
                    return state.isClosed
                }
                if !isClosed { return descriptor }
                Self.closeDescriptor(descriptor)
            } else if errno == EINTR || errno == ECONNABORTED {
                continue
            }
            Self.closeDescriptor(socket)
            return nil
        }
    }

    private func serve(_ connection: Int32) {
        var wait = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var received: [UInt8] = []
        while let request = next(connection, &received) {
            state.withLock { $0.requests += 1 }
            let response = respond(request).bytes(for: request.method)
            guard write(response, to: connection) else { break }
            served(request)
            if request["Connection"]?.lowercased() == "close" { break }
        }
        state.withLock { _ = $0.sockets.remove(connection) }
        Self.closeDescriptor(connection)
    }

    private func next(_ connection: Int32, _ received: inout [UInt8]) -> ReceivedRequest? {
        let end = Array("\r\n\r\n".utf8)
        var head = received.firstRange(of: end)
        while head == nil {
            guard received.count < Self.headBound, read(connection, &received) else { return nil }
            head = received.firstRange(of: end)
        }
        guard let head,
            var request = ReceivedRequest(head: String(decoding: received[..<head.lowerBound], as: UTF8.self))
        else { return nil }
        received.removeSubrange(..<head.upperBound)
        if request["Expect"] != nil { _ = write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection) }
        if request["Transfer-Encoding"]?.lowercased() == "chunked" {
            guard let body = chunks(connection, &received) else { return nil }
            request.body = body
            return request
        }
        let length = request["Content-Length"].flatMap { Int($0) } ?? 0
        guard (0...Self.bodyBound).contains(length) else { return nil }
        while received.count < length { guard read(connection, &received) else { return nil } }
        request.body = Array(received.prefix(length))
        received.removeFirst(length)
        return request
    }

    /// Related: RFC 9112 §7.1
    private func chunks(_ connection: Int32, _ received: inout [UInt8]) -> [UInt8]? {
        var body: [UInt8] = []
        let lineEnd = Array("\r\n".utf8)
        while true {
            var end = received.firstRange(of: lineEnd)
            while end == nil {
                guard received.count < Self.headBound, read(connection, &received) else { return nil }
                end = received.firstRange(of: lineEnd)
            }
            guard let end else { return nil }
            let digits = String(decoding: received[..<end.lowerBound].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let count = Int(digits, radix: 16), count >= 0, body.count + count <= Self.bodyBound else {
                return nil
            }
            received.removeSubrange(..<end.upperBound)
            while received.count < count + 2 { guard read(connection, &received) else { return nil } }
            body += received.prefix(count)
            received.removeFirst(count + 2)
            if count == 0 { return body }
        }
    }

    private func read(_ connection: Int32, _ received: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            received += buffer[..<count]
            return true
        }
    }

    private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(connection, part.baseAddress, part.count, Self.noSignal)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func closeDescriptor(_ descriptor: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }
}
