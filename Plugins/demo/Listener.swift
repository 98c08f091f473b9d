#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A socket that listens on a free port of 127.0.0.1.
struct Listener: Sendable {
    /// The reason why there is no port.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private let socket: Int32
    let port: UInt16

    /// Opens it.
    init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
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
        guard descriptor >= 0, isOpen else { throw Failure(description: String(cString: strerror(errno))) }
        socket = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the next connection and returns its socket; nil when there won't be any more.
    func accept() -> Int32? {
        while true {
            let descriptor = Self.accept(socket)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR, errno != ECONNABORTED { return nil }
        }
    }

    private static func open(_ kind: Int32) -> Int32 { socket(AF_INET, kind, 0) }

    private static func accept(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
        Musl.accept(descriptor, nil, nil)
        #else
        Darwin.accept(descriptor, nil, nil)
        #endif
    }

    private static func socket(_ family: Int32, _ kind: Int32, _ number: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.socket(family, kind, number)
        #elseif canImport(Musl)
        Musl.socket(family, kind, number)
        #else
        Darwin.socket(family, kind, number)
        #endif
    }
}
