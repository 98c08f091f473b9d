import ChildProcess
package import ProviderKit

/// A program that keeps secrets, asked as git asks its own: the operation is its argument, and lines of `key=value` go in and
/// come out.
///
/// Related: gitcredentials(7), git-credential(1).
package struct CredentialHelper: Sendable, PrintsRedacted {
    /// What it is asked to do.
    package enum Operation: String, Sendable {
        case get, store, erase
    }

    /// Why it gave nothing.
    package enum Failure: Error, Sendable, Equatable {
        /// It couldn't be started.
        case notStarted
        /// It ended with this exit code.
        case exited(Int32)
        case signaled(Int32)
        case tooSlow(seconds: Int)
        /// The task was cancelled.
        case cancelled
        /// More than ``longest`` came, or it isn't UTF-8.
        case unreadable
        /// A value that can't stand on a line.
        case unwritable(name: String)
    }

    /// How long it may take; a person may have to type a passphrase meanwhile.
    static let patience = Duration.seconds(60)
    /// Bytes of an answer.
    static let longest = 64 << 10

    /// As `/bin/sh` takes it.
    private let command: String
    private let provider: String
    private let user: String

    /// - Parameters:
    ///   - command: of the settings, without the operation.
    ///   - provider: whose secrets they are; `host` on its lines.
    ///   - user: for whom; `path` on its lines.
    package init(command: String, provider: String, user: String) {
        self.command = command
        self.provider = provider
        self.user = user
    }

    /// Asks it. What it prints as `key=value` comes back for ``Operation/get``; the other two say nothing.
    ///
    /// - Parameter secrets: what is to be stored.
    @discardableResult
    package func run(
        _ operation: Operation, secrets: [String: String] = [:]
    ) async throws(Failure) -> Secret<[String: String]> {
        var helper = BoundedProcess(
            command: command + " \"$@\"", arguments: [operation.rawValue], limit: Self.patience)
        helper.input = try lines(secrets)
        helper.textBound = Self.longest + 1
        let outcome = await helper.run()
        switch outcome.ending {
        case .exited(0): break
        case .exited(let code): throw .exited(code)
        case .signaled(let signal): throw .signaled(signal)
        case .timedOut: throw .tooSlow(seconds: Int(Self.patience.components.seconds))
        case .cancelled: throw .cancelled
        case .notStarted, .notFound: throw .notStarted
        }
        guard operation == .get else { return Secret([:]) }
        let output = outcome.outputHead
        guard output.count <= Self.longest, let text = String(validating: output, as: UTF8.self) else {
            throw .unreadable
        }
        return Secret(Self.values(text))
    }

    /// What is asked for, and what is to be stored, a line each; an empty one ends it.
    private func lines(_ secrets: [String: String]) throws(Failure) -> [UInt8] {
        var lines = ["protocol=coursefetch", "host=\(provider)", "path=\(user)"]
        for (name, value) in secrets.sorted(by: { $0.key < $1.key }) {
            guard !value.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
                throw .unwritable(name: name)
            }
            lines.append("\(name)=\(value)")
        }
        return Array((lines.joined(separator: "\n") + "\n\n").utf8)
    }

    /// Reads lines of `key=value`; what isn't one is left out, and of equal keys the last counts, as in git.
    static func values(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else { continue }
            values[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        return values
    }

    /// The secrets that a provider asks for, out of what a helper gave: by their own names, else a name for a person as
    /// `username` and the one that is left as `password`. Nil if one is missing.
    package static func secrets(_ names: [String], in given: Secret<[String: String]>) -> [String: String]? {
        let given = given.value
        var secrets: [String: String] = [:]
        for name in names { secrets[name] = given[name] }
        for name in names where secrets[name] == nil && ["user", "login", "email", "account"].contains(name) {
            secrets[name] = given["username"]
        }
        let missing = names.filter { secrets[$0] == nil }
        if missing.count == 1 { secrets[missing[0]] = given["password"] }
        return secrets.count == names.count ? secrets : nil
    }

    /// As a helper stores it: by their own names, with git's two for helpers that know no others.
    package static func stored(_ secrets: [String: String]) -> [String: String] {
        var stored = secrets
        let person = ["username", "user", "login", "email", "account"].first { secrets[$0] != nil }
        stored["username"] = person.flatMap { secrets[$0] }
        let others = secrets.filter { $0.key != person }
        if others.count == 1 { stored["password"] = others.first?.value }
        return stored
    }
}
