import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal
import UserState

/// The source of a provider's secrets for `login`: a file, standard input, or the user at the terminal.
struct SecretsInput {
    let login: ProviderLogin
    /// A path, `-`, or nil to ask.
    let source: String?
    /// The path of a file with a browser's cookies, which are another way to log in; nil without one.
    let cookies: String?
    let warn: @Sendable (String) -> Void

    /// The secrets; refused with 64 if they are missing or don't match the provider's request.
    func read() async throws(Refusal) -> LoginSecrets {
        guard let cookies else { return try withFiles(try await readSource()) }
        guard let name = login.cookies.first, login.cookies.count == 1 else {
            throw refusal(
                login.cookies.isEmpty
                    ? "the provider '\(login.provider)' takes no cookies, so leave out --cookies"
                    : "the provider '\(login.provider)' takes cookies under several names; use --secrets-from")
        }
        let others = source == nil ? LoginSecrets([:]) : try await readSource()
        return others.replacing(name, with: try text(of: cookies))
    }

    private func readSource() async throws(Refusal) -> LoginSecrets {
        guard let source else { return try await ask() }
        if source == "-" {
            guard isatty(STDIN_FILENO) == 0 else {
                throw refusal("standard input is a terminal; to be asked for the secrets, leave out --secrets-from")
            }
            let name = "standard input"
            return try secrets(STDIN_FILENO, name)
        }
        let descriptor = try opened(source)
        defer { close(descriptor) }
        return try secrets(descriptor, source)
    }

    private func opened(_ path: String) throws(Refusal) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw refusal("\(path) can't be opened: \(String(cString: strerror(errno)))") }
        var facts = stat()
        if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o044 != 0 {
            warn("warning: others can read the secrets in \(TerminalFormat.printable(path)); run: chmod 600")
        }
        return descriptor
    }

    /// The secrets with the contents of the files that were given in the place of browser's sessions. A path begins
    /// as no cookie does.
    private func withFiles(_ secrets: LoginSecrets) throws(Refusal) -> LoginSecrets {
        var secrets = secrets
        for name in login.cookies {
            guard let path = secrets[name]?.trimmingCharacters(in: .whitespacesAndNewlines),
                ["/", "./", "../", "~/", "@"].contains(where: path.hasPrefix), !path.contains(where: \.isNewline)
            else { continue }
            let text = try text(of: path.hasPrefix("@") ? String(path.dropFirst()) : path)
            secrets = secrets.replacing(name, with: text)
        }
        return secrets
    }

    /// The text of a file with a browser's cookies.
    private func text(of path: String) throws(Refusal) -> String {
        let home = path.hasPrefix("~/") ? ProcessInfo.processInfo.environment["HOME"] : nil
        let path = home.map { $0 + path.dropFirst() } ?? path
        let descriptor = try opened(path)
        defer { close(descriptor) }
        let content = try content(descriptor, path)
        guard content.count <= LoginSecrets.longest else { throw refusal("\(path) is longer than 1 MiB") }
        guard let text = String(validating: content, as: UTF8.self) else { throw refusal("\(path) isn't UTF-8") }
        return text
    }

    private func ask() async throws(Refusal) -> LoginSecrets {
        guard !login.names.isEmpty else { return LoginSecrets([:]) }
        guard let prompt = SecretPrompt() else {
            let names = login.names.joined(separator: ", ")
            throw refusal(
                """
                there is no terminal to ask for the secrets of '\(login.provider)' (\(names)); use \
                --secrets-from FILE, or with --secrets-from - on standard input
                """)
        }
        defer { prompt.close() }
        var values: [String: String] = [:]
        for name in login.askedNames {
            let value: String
            do throws(SecretPrompt.Problem) {
                let hint = login.cookies.contains(name) ? SessionText.cookiesHint : ""
                value = try await prompt.ask("\(TerminalFormat.printable("\(login.provider) \(name)"))\(hint): ")
            } catch { throw Self.refusal(error, of: name) }
            guard !value.isEmpty else { throw Self.emptiness(of: name) }
            values[name] = value
        }
        return LoginSecrets(values)
    }

    /// Of what wasn't typed as it should be.
    static func refusal(_ problem: SecretPrompt.Problem, of name: String) -> Refusal {
        switch problem {
        case .ended: .input("no '\(name)' was given; nothing was changed")
        case .tooLong: .input("'\(name)' is longer than \(SecretLine.longest) bytes")
        case .notUTF8: .input("'\(name)' isn't UTF-8")
        }
    }

    static func emptiness(of name: String) -> Refusal { .input("'\(name)' is empty; nothing was changed") }

    private func secrets(_ descriptor: Int32, _ name: String) throws(Refusal) -> LoginSecrets {
        let content = try content(descriptor, name)
        // Those of --cookies come from there.
        let wanted = cookies == nil ? login.names : login.askedNames
        do {
            return try LoginSecrets(
                content, file: name, names: wanted, cookies: login.cookies, allowsOthers: login.mayAskOn)
        } catch {
            throw Refusal(error)
        }
    }

    private func content(_ descriptor: Int32, _ name: String) throws(Refusal) -> Data {
        var content = Data()
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        // One chunk too many is enough to refuse it as too long.
        while content.count <= LoginSecrets.longest {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw refusal("\(name) can't be read: \(String(cString: strerror(errno)))") }
            if count == 0 { break }
            content.append(contentsOf: chunk[..<count])
        }
        return content
    }

    private func refusal(_ message: String) -> Refusal { .input(message) }
}
