import ProviderHTTP
import ProviderKit
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `rclone serve http` for each folder, on a free port of the loopback interface, with a password made for this run. All end
/// with this process, however that ends: a shell waits for the end of its input, which is ours.
actor RcloneServers {
    /// One that answers.
    struct Server: Sendable, PrintsRedacted {
        let address: WebAddress
        let login: BasicLogin
    }

    private static let bound = 32
    /// `$@` is the command. Its own input is nothing; the input of the script is watched by a process beside it.
    private static let script = """
        exec 3<&0
        "$@" </dev/null 3<&- &
        server=$!
        { cat <&3 >/dev/null; kill $server; } 2>/dev/null &
        watch=$!
        exec 3<&-
        wait $server
        end=$?
        kill $watch 2>/dev/null
        exit $end
        """

    private var starting: [RcloneRemote: Task<Result<Server, ProviderError>, Never>] = [:]

    /// The server of a folder, started if there is none.
    func server(of remote: RcloneRemote) async throws(ProviderError) -> Server {
        if let task = starting[remote] {
            let result = await task.value
            if case .success(let server) = result, Self.answers(server) { return server }
            // It has ended, or didn't start: once more, unless another request was faster.
            if starting[remote] == task { starting[remote] = nil }
        }
        if let task = starting[remote] { return try await task.value.get() }
        guard starting.count < Self.bound else {
            throw ProviderError(.unavailable, "there are more than \(Self.bound) folders of rclone in one run")
        }
        let task = Task { await Self.start(remote) }
        starting[remote] = task
        return try await task.value.get()
    }

    private static func start(_ remote: RcloneRemote) async -> Result<Server, ProviderError> {
        guard let port = freePort(), let address = WebAddress("http://127.0.0.1:\(port)/") else {
            return .failure(ProviderError(.unavailable, "the loopback interface has no free port"))
        }
        var random = SystemRandomNumberGenerator()
        let password = (0..<4).map { _ in String(random.next(), radix: 36) }.joined()
        let server = Server(address: address, login: BasicLogin(username: "coursefetch", password: password))
        let ended = AsyncStream<ProviderError>.makeStream()
        Task.detached {
            ended.continuation.yield(await run(remote, port: port, server.login))
            ended.continuation.finish()
        }
        return await withTaskGroup(of: Result<Server, ProviderError>.self) { group in
            group.addTask {
                for await error in ended.stream { return .failure(error) }
                return .failure(ProviderError(.unavailable, "rclone doesn't serve"))
            }
            group.addTask {
                // A storage may have to be asked before rclone listens.
                for _ in 0..<3000 {
                    if answers(server) { return .success(server) }
                    do { try await Task.sleep(for: .milliseconds(10)) } catch { break }
                }
                return .failure(ProviderError(.unavailable, "rclone doesn't begin to serve within 30 s"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(ProviderError(.unavailable, "rclone doesn't serve"))
        }
    }

    /// Runs a server to its end, and returns what that means.
    private static func run(_ remote: RcloneRemote, port: UInt16, _ login: BasicLogin) async -> ProviderError {
        let command =
            ["rclone", "serve", "http", "--addr", "127.0.0.1:\(port)", "--read-only"] + RcloneProgram.options
            + ["--", remote.text]
        do {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(["-c", script, "sh"] + command),
                // Not in argv, which everybody on this machine can read.
                environment: .inherit.updating([
                    "RCLONE_USER": login.username, "RCLONE_PASS": login.password.value,
                ]), input: .inputWriter, output: .discarded, error: .sequence
            ) { execution in
                var words: [UInt8] = []
                // Its log is read to its end; only the beginning tells why it doesn't start.
                for try await bytes in execution.standardError where words.count < 64 << 10 {
                    bytes.withUnsafeBytes { words += $0 }
                }
                return String(decoding: words, as: UTF8.self)
            }
            guard case .exited(let code) = result.terminationStatus else {
                return ProviderError(.unavailable, "rclone was ended")
            }
            return code == 127 ? RcloneProgram.missing : RcloneProgram.failure(code, result.closureResult, remote)
        } catch {
            return ProviderError(.unavailable, "rclone can't be started")
        }
    }

    /// Whether something listens at the server's port.
    private static func answers(_ server: Server) -> Bool {
        guard let port = server.address.host.split(separator: ":").last.flatMap({ UInt16($0) }) else { return false }
        return withSocket(port) { connect($0, $1, $2) == 0 }
    }

    private static func freePort() -> UInt16? {
        var port: UInt16?
        _ = withSocket(0) { socket, address, size in
            var bound = sockaddr_in()
            var length = size
            guard bind(socket, address, size) == 0 else { return false }
            let isKnown = withUnsafeMutablePointer(to: &bound) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) == 0 }
            }
            if isKnown { port = UInt16(bigEndian: bound.sin_port) }
            return isKnown
        }
        return port
    }

    private static func withSocket(
        _ port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        #if canImport(Darwin)
        let stream = SOCK_STREAM
        #else
        let stream = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
