import ProviderKit
import Subprocess

enum RcloneProgram {
    static let missing = ProviderError(
        .unavailable, "rclone isn't installed: sudo apt-get install rclone, or see https://rclone.org/install")

    /// Never asks at a terminal, and gives up instead of trying for minutes: the run tries again.
    static let options = [
        "--ask-password=false", "--retries", "1", "--low-level-retries", "2", "--contimeout", "10s", "--timeout", "25s",
    ]
    private static let outputBound = 256 << 20
    private static let errorBound = 1 << 20

    /// What it writes when it is called with `arguments` for `remote`.
    static func output(of arguments: [String], _ remote: RcloneRemote) async throws(ProviderError) -> [UInt8] {
        let result: ExecutionResult<Void, BytesOutput, StringOutput<UTF8>>
        do {
            result = try await run(
                .name("rclone"), arguments: Arguments(arguments + options + ["--", remote.text]),
                output: .bytes(limit: outputBound), error: .string(limit: errorBound))
        } catch let error as SubprocessError where error.code == .executableNotFound {
            throw missing
        } catch let error as SubprocessError where error.code == .outputLimitExceeded {
            throw ProviderError(.invalidParameters, "the folder has too many files", parameter: "remote")
        } catch {
            throw ProviderError(.unavailable, "rclone can't be started")
        }
        if result.terminationStatus.isSuccess { return result.standardOutput }
        var code: Int32 = -1
        if case .exited(let status) = result.terminationStatus { code = status }
        throw failure(code, result.standardError, remote)
    }

    /// What its end means. Its words aren't repeated, since they may have addresses with tokens in them.
    static func failure(_ code: Int32, _ words: String, _ remote: RcloneRemote) -> ProviderError {
        let words = words.lowercased()
        func says(_ signs: String...) -> Bool { signs.contains { words.contains($0) } }
        // A status stands alone: its digits may also be in an address or a name.
        let numbers = Set(words.split { !$0.isLetter && !$0.isNumber })
        let name = remote.name
        if says("didn't find section in config file", "config file not found") {
            return ProviderError(
                .invalidParameters, "rclone has no storage called '\(name)': rclone config", parameter: "remote")
        }
        if says("unable to decrypt configuration", "couldn't decrypt configuration", "failed to load config file") {
            return ProviderError(
                .authRequired, "rclone's configuration can't be read: set RCLONE_CONFIG_PASS or RCLONE_PASSWORD_COMMAND"
            )
        }
        if says("connection refused", "no such host", "timeout", "deadline exceeded", "network is unreachable") {
            return ProviderError(.unavailable, "rclone can't reach the storage '\(name)'", server: "\(name):")
        }
        if says("unauthorized", "invalid_grant", "token expired", "authentication failed", "unable to authenticate")
            || numbers.contains("401")
        {
            return ProviderError(
                .authRequired, "the storage '\(name)' refuses rclone's login: rclone config reconnect '\(name):'",
                server: "\(name):")
        }
        if says("too many requests", "ratelimitexceeded", "rate limit") || numbers.contains("429") {
            return ProviderError(
                .rateLimited, "the storage '\(name)' asks rclone for fewer requests", server: "\(name):")
        }
        if code == 3 || code == 4 { return ProviderError(.notFound, "rclone finds no such folder in '\(name)'") }
        if says("forbidden", "permission denied") || numbers.contains("403") {
            return ProviderError(.forbidden, "the storage '\(name)' refuses rclone access to the folder")
        }
        return ProviderError(
            .unavailable, "rclone can't list the folder (it ends with \(code)); to see why: rclone lsf '\(name):'")
    }
}
