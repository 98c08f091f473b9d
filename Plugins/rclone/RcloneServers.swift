import Crypto
import ProviderHTTP
import ProviderKit
import Subprocess

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
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

/// `rclone serve http` for each storage, on a free port of the loopback interface, with a password made for this run. A
/// storage whose root may not be read is served by its folders. All end with this process, however that ends: a shell
/// waits for the end of its input, which is ours.
actor RcloneServers {
    /// A running `rclone serve` that answers.
    struct Server: Sendable, PrintsRedacted {
        var address: WebAddress
        let login: BasicLogin
    }

    private static let bound = 32
    /// `$1` is the line of a file of passwords, the rest the command. The file has no name any more when the command
    /// begins, so that nothing is left of it. The command's own input is nothing; the input of the script is watched by
    /// a process beside it.
    private static let script = """
        umask 077
        file=$(mktemp) && printf '%s\\n' "$1" >"$file" && exec 4<"$file" && rm -f "$file" || exit 126
        shift
        exec 3<&0
        "$@" </dev/null 3<&- &
        server=$!
        { exec 4<&-; cat <&3 >/dev/null; kill $server; } 2>/dev/null &
        watch=$!
        exec 3<&- 4<&-
        wait $server
        end=$?
        kill $watch 2>/dev/null
        exit $end
        """

    private var starting: [RcloneRemote: Task<Result<Server, ProviderError>, Never>] = [:]
    /// Where folders were found; the servers may have ended since.
    private var roots: [RcloneRemote: RcloneRemote] = [:]

    /// The server of a folder, started if there is none, with the folder's address.
    func server(of remote: RcloneRemote) async throws(ProviderError) -> Server {
        let (storage, path) = remote.storage
        if roots[remote] == nil {
            roots[remote] = path.isEmpty ? storage : try await root(of: remote, in: storage, at: path)
        }
        guard let root = roots[remote], root == storage else { return try await started(remote) }
        var server = try await started(storage)
        guard let address = server.address.appending(path, isFolder: true) else {
            throw ProviderError(.invalidParameters, "remote isn't a path in the storage", parameter: "remote")
        }
        server.address = address
        return server
    }

    /// The storage if the folder can be reached from its root, else the folder itself.
    private func root(
        of remote: RcloneRemote, in storage: RcloneRemote, at path: [String]
    ) async throws(ProviderError) -> RcloneRemote {
        guard let server = try? await started(storage), let address = server.address.appending(path, isFolder: true)
        else { return remote }
        // This machine's own server isn't behind a proxy.
        let client = HTTPClient(settings: HostSettings(proxy: ""))
        let answer = try? await client.send(HTTPRequest("HEAD", address, login: server.login))
        return answer?.status == 200 ? storage : remote
    }

    /// A server whose root is `remote`.
    private func started(_ remote: RcloneRemote) async throws(ProviderError) -> Server {
        if let task = starting[remote] {
            let result = await task.value
            if case .success(let server) = result, Self.answers(server) { return server }
            // It has ended, or didn't start: once more, unless another request was faster.
            if starting[remote] == task { starting[remote] = nil }
        }
        if let task = starting[remote] { return try await task.value.get() }
        guard starting.count < Self.bound else {
            throw ProviderError(
                .unavailable,
                "there are more than \(Self.bound) folders of rclone that only a server of their own reaches")
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
            ["rclone", "serve", "http", "--addr", "127.0.0.1:\(port)", "--read-only", "--htpasswd", "/dev/fd/4"]
            + RcloneProgram.options + ["--", remote.text]
        do {
            let result = try await Subprocess.run(
                .path("/bin/sh"), arguments: Arguments(["-c", script, "sh", login.passwordLine] + command),
                input: .inputWriter, output: .discarded, error: .sequence
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

extension BasicLogin {
    /// The line of a file of passwords as Apache has it. It has a digest of the password, which a guess doesn't find:
    /// this one is random.
    fileprivate var passwordLine: String {
        "\(username):{SHA}\(Data(Insecure.SHA1.hash(data: Data(password.value.utf8))).base64EncodedString())"
    }
}
