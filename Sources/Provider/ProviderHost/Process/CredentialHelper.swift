import ChildProcess
package import ProviderKit

/// A program that keeps secrets, with the interface of git's: the operation is its argument, and lines of `key=value`
/// are its input and output.
///
/// Related: gitcredentials(7), git-credential(1).
package struct CredentialHelper: Sendable, PrintsRedacted {
    /// The requested operation.
    package enum Operation: String, Sendable {
        case get, store, erase
    }

    /// The reason why it failed.
    package enum Failure: Error, Sendable, Equatable {
        /// It couldn't be started.
        case notStarted
        /// It ended with this exit code.
        case exited(Int32)
        case signaled(Int32)
        case tooSlow(seconds: Int)
        /// The task was cancelled.
        case cancelled
        /// The answer is longer than ``longest``, or not UTF-8.
        case unreadable
        /// A value that doesn't fit on a line.
        case unwritable(name: String)
    }

    private static let scheme = "coursefetch"
    /// Its time limit; the user may have to type a passphrase meanwhile.
    static let patience = Duration.seconds(60)
    /// The limit on an answer's bytes.
    static let longest = 64 << 10

    /// The text for `/bin/sh`.
    private let command: String
    private let provider: String
    private let user: String
    private let endpoint: String?

    /// - Parameters:
    ///   - command: of the settings, without the operation.
    ///   - provider: the provider of the secrets; `host` in its lines.
    ///   - user: the user's name; `path` in its lines.
    ///   - endpoint: scheme, host and port of the server that the secrets are for; nil if the provider has none or it
    ///     isn't known.
    package init(command: String, provider: String, user: String, endpoint: String? = nil) {
        self.command = command
        self.provider = provider
        self.user = user
        self.endpoint = endpoint
    }

    /// Runs it. Returns its `key=value` output for ``Operation/get``; the other two have none.
    ///
    /// - Parameter secrets: the secrets to store.
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
        return Secret(answered(Self.values(text)))
    }

    /// The keys of a request itself.
    private static let ownKeys: Set = ["protocol", "host", "path", "endpoint"]

    /// The key of a secret: its name, with `secret_` before it if it is that of a line about the request.
    private static func key(_ name: String) -> String { ownKeys.contains(name) ? "secret_\(name)" : name }

    /// An answer's values by the names of secrets. A helper may repeat the request's own lines: these aren't secrets.
    private func answered(_ values: [String: String]) -> [String: String] {
        var values = values
        for (name, own) in [("protocol", Self.scheme), ("host", provider), ("path", user)] where values[name] == own {
            values[name] = nil
        }
        for name in Self.ownKeys { if let value = values.removeValue(forKey: Self.key(name)) { values[name] = value } }
        return values
    }

    /// The lines of the request and of secrets to store; an empty one ends them.
    private func lines(_ secrets: [String: String]) throws(Failure) -> [UInt8] {
        var lines = ["protocol=\(Self.scheme)", "host=\(provider)", "path=\(user)"]
        if let endpoint { lines.append("endpoint=\(endpoint)") }
        for (name, value) in secrets.sorted(by: { $0.key < $1.key }) {
            if name.hasSuffix(Self.severalMark) {
                lines += value.split(separator: "\n").map { "\(Self.key(name))=\($0)" }
                continue
            }
            guard !value.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
                throw .unwritable(name: name)
            }
            lines.append("\(Self.key(name))=\(value)")
        }
        return Array((lines.joined(separator: "\n") + "\n\n").utf8)
    }

    /// At the end of a key that comes once for each line of a text, as in git.
    private static let severalMark = "[]"

    /// Reads lines of `key=value`; other lines are ignored, and of equal keys the last counts, as in git. Of those with
    /// `[]` at their end each is a line.
    static func values(_ text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), equals > line.startIndex else { continue }
            let (key, value) = (String(line[..<equals]), String(line[line.index(after: equals)...]))
            if key.hasSuffix(severalMark), key.count > severalMark.count {
                values[String(key.dropLast(severalMark.count)), default: ""] += "\(value)\n"
            } else {
                values[key] = value
            }
        }
        return values
    }

    /// The secrets that a provider asks for, from a helper's answer: by their own names, else by git's. Nil if one is
    /// missing.
    ///
    /// Which of git's names a secret has depends on the secrets' names alone: a field that the answer lacks never
    /// gets the value of another one.
    package static func secrets(_ manifest: Manifest, in given: Secret<[String: String]>) -> [String: String]? {
        let choices = manifest.loginChoices
        // A password is no session where there may be both.
        let sessions = choices.count > 1 ? manifest.cookies : []
        return choices.lazy.compactMap { secrets($0, in: given, sessions: sessions) }.first
    }

    static func secrets(
        _ names: [String], in given: Secret<[String: String]>, sessions: [String] = []
    ) -> [String: String]? {
        let given = given.value
        let password = passwordName(names.filter { !sessions.contains($0) })
        var secrets: [String: String] = [:]
        for name in names {
            let common = personNames.contains(name) ? "username" : name == password ? "password" : name
            secrets[name] = given[name] ?? given[common]
        }
        return secrets.count == names.count ? secrets : nil
    }

    /// The form for storing: by their own names, and with git's two for helpers that know no others; a browser's
    /// session in lines.
    package static func stored(_ secrets: [String: String], cookies: [String] = []) -> [String: String] {
        var stored: [String: String] = [:]
        for name in cookies { stored[name + severalMark] = secrets[name] }
        let secrets = secrets.filter { !cookies.contains($0.key) }
        stored.merge(secrets) { $1 }
        let person = ["username", "user", "login", "email", "account"].first { secrets[$0] != nil }
        stored["username"] = person.flatMap { secrets[$0] }
        if let password = passwordName(Array(secrets.keys)) { stored["password"] = secrets[password] }
        return stored
    }

    /// Names that mean a user's name.
    private static let personNames: Set = ["username", "user", "login", "email", "account"]

    /// The secret that is git's `password`: the only one that isn't a user's name.
    private static func passwordName(_ names: [String]) -> String? {
        let others = names.filter { !personNames.contains($0) }
        return others.count == 1 ? others.first : nil
    }
}
