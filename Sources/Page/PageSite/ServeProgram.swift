import Foundation
import Logging
import Operations
import PageHTTP
import PageServer
import RunAccess
import SyncFacts
import SystemPackage
import Terminal
import UserState

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The web server that `coursefetch serve` starts.
package enum ServeProgram {
    private static let output = OutputChannel()

    /// Serves until it is ended. Its one argument is ``ServeOptions`` as JSON.
    package static func main(_ arguments: [String]) async -> Int32 {
        guard arguments.count == 2,
            let options = try? JSONDecoder().decode(ServeOptions.self, from: Data(arguments[1].utf8))
        else {
            await complain("this program is started by: coursefetch serve")
            return 64
        }
        signal(SIGPIPE, SIG_IGN)
        do {
            let folder = try options.location(of: nil).resolve().userFolder
            try folder.create()
            let secret = try PageSecret.read(at: folder.path.appending("page.secret"))
            try await serve(options, secret)
            return 0
        } catch let error as Refusal {
            await complain(ServeFailure.refusal(error))
            return 73
        } catch {
            await complain(ServeFailure.failure(error, options))
            return 73
        }
    }

    private static func serve(_ options: ServeOptions, _ secret: [UInt8]) async throws {
        var proxies: [AddressBlock] = []
        for text in options.proxies {
            guard let block = AddressBlock(text) else { throw ServeFailure.BadProxy(text: text) }
            proxies.append(block)
        }
        let port = try options.port == 0 ? freePort(options.address) : options.port
        let access = PageAccess(
            secret: secret, port: port, base: options.base, hosts: options.hosts, proxies: proxies,
            userHeader: options.userHeader)
        let site = try PageSite(options: options, access: access)
        var logger = Logger(label: "coursefetch-serve")
        logger.logLevel = .critical
        let server = PageServer(
            host: options.address, port: port, base: options.base, proxies: proxies, logger: logger
        ) { request in await site.answer(request) }
        try await server.run { port in
            let address = "http://\(host(options.address)):\(port)\(options.base)?token=\(access.token)"
            output.line(address, to: STDOUT_FILENO)
            await output.flush()
            if options.opens { open(address) }
        }
    }

    private static func host(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    /// A port that nothing listens at now.
    private static func freePort(_ address: String) throws -> Int {
        let family = address.contains(":") ? AF_INET6 : AF_INET
        #if canImport(Glibc)
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        defer { close(descriptor) }
        var storage = sockaddr_storage()
        storage.ss_family = sa_family_t(family)
        let size = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        var length = size
        return try withUnsafeMutablePointer(to: &storage) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, size) == 0, getsockname(descriptor, address, &length) == 0 else {
                    throw Errno(rawValue: errno)
                }
            }
            // The port stands at the same place in both.
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                Int(UInt16(bigEndian: $0.pointee.sin_port))
            }
        }
    }

    private static func open(_ address: String) {
        let process = Process()
        #if os(macOS)
        process.executableURL = URL(filePath: "/usr/bin/open")
        process.arguments = [address]
        #else
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["xdg-open", address]
        #endif
        process.standardOutput = FileHandle.nullDevice
        try? process.run()
    }

    private static func complain(_ text: String) async {
        output.line("error: \(text)", to: STDERR_FILENO)
        await output.flush()
    }
}

/// The secret from which the page's tokens are made: with it they stay the same when the server starts again.
enum PageSecret {
    static func read(at path: FilePath) throws -> [UInt8] {
        if let known = try? [UInt8](Data(contentsOf: URL(filePath: path.string))), known.count == 32 { return known }
        let secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
        let draft = path.removingLastComponent().appending("page.secret.\(getpid())")
        let file = try FileDescriptor.open(
            draft, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
        try file.closeAfter { _ = try file.writeAll(secret) }
        guard rename(draft.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        return secret
    }
}
