#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Ports of the loopback interface.
enum FreePort {
    /// A free port; another process may take it first.
    static func find() throws -> Int {
        let (socket, port) = try bound()
        close(socket)
        return port
    }

    /// Whether somebody accepts connections at a port.
    static func isOpen(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withAddress(port) { connect(descriptor, $0, $1) } == 0
    }

    private static func bound() throws -> (socket: Int32, port: Int) {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0, withAddress(0, { bind(descriptor, $0, $1) }) == 0 else {
            throw TestServerError("no free port: errno \(errno)")
        }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func withAddress(_ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    private static var streamType: Int32 {
        #if canImport(Darwin)
        SOCK_STREAM
        #else
        Int32(SOCK_STREAM.rawValue)
        #endif
    }
}
