#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One connection of a downloader.
final class Connection {
    private static let headBound = 16_384
    /// The time that an idle connection may be silent, in seconds.
    private static let patience = 30

    private let socket: Int32
    private var received: [UInt8] = []

    /// Takes over a socket.
    init(_ socket: Int32) {
        self.socket = socket
        var wait = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Waits for the next request; nil when there are no more or it isn't HTTP. Bodies aren't expected.
    func nextRequest() -> HTTPRequest? {
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let position = received.firstRange(of: end) {
                let head = String(decoding: received[..<position.lowerBound], as: UTF8.self)
                received.removeSubrange(..<position.upperBound)
                return HTTPRequest(head: head)
            }
            guard received.count < Self.headBound else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(socket, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            received += buffer[..<count]
        }
    }

    /// Sends the header of a response; without `length` there is no body. False if the downloader has closed.
    func send(status: String, _ fields: [String] = [], length: Int = 0) -> Bool {
        let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(length)", "Date: \(Self.now())", "", ""]
        return send(Array(lines.joined(separator: "\r\n").utf8)[...])
    }

    /// Sends bytes, no faster than `rate` bytes per second. False if the downloader has closed.
    func send(_ bytes: ArraySlice<UInt8>, rate: Double?) -> Bool {
        guard let rate else { return send(bytes) }
        let clock = ContinuousClock()
        let start = clock.now
        var sent = 0
        while sent < bytes.count {
            // The bytes due 40 ms from now, so that the flow is smooth.
            let due = min(bytes.count, Int(((clock.now - start) / .seconds(1) + 0.04) * rate))
            if due > sent {
                guard send(bytes[bytes.startIndex + sent..<bytes.startIndex + due]) else { return false }
                sent = due
            }
            usleep(20_000)
        }
        return true
    }

    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Self.close(socket)
    }

    private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = write(socket, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Darwin.close(descriptor)
        #endif
    }

    /// Related: RFC 9110 §5.6.7
    private static func now() -> String {
        var seconds = time(nil)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        var text = [CChar](repeating: 0, count: 40)
        // The C locale, since a plugin doesn't set another.
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &fields)
        return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
