package import Foundation
package import ProviderKit
import YAMLSource

/// The secrets that the user types to log in at a provider, by the names in its manifest. Prints as redacted.
package struct LoginSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    package let values: Secret<[String: String]>

    package var description: String { values.description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The secrets as they were typed.
    package init(_ values: [String: String]) { self.values = Secret(values) }

    /// The secret of this name.
    package subscript(_ name: String) -> String? { values.value[name] }

    /// These secrets with another one under a name.
    package func replacing(_ name: String, with value: String) -> LoginSecrets {
        LoginSecrets(values.value.merging([name: value]) { $1 })
    }

    /// The limit on the bytes of a file of secrets.
    package static let longest = 1 << 20

    /// Reads a YAML or JSON mapping of names to secrets. If exactly one is requested, a text that isn't a mapping is
    /// the secret, without its final line end.
    ///
    /// Errors contain none of the text: it may be secret.
    ///
    /// - Parameters:
    ///   - file: the text's name in messages.
    ///   - cookies: the names of them that are a browser's session. It is in several lines, and where there are other
    ///     names, it or they may be missing.
    ///   - allowsOthers: whether a mapping may have other names, too.
    package init(
        _ text: Data, file: String, names: [String], cookies: [String] = [], allowsOthers: Bool = false
    ) throws(LoginSecretsError) {
        func refusal(_ problem: LoginSecretsError.Problem) -> LoginSecretsError {
            LoginSecretsError(file: file, names: names, problem: problem)
        }
        guard text.count <= Self.longest else { throw refusal(.tooLong) }
        guard let string = String(validating: text, as: UTF8.self) else { throw refusal(.notUTF8) }
        if let only = Self.only(names), cookies.contains(only), Self.looksLikeCookies(string) {
            self.init([only: string])
            return
        }
        if let only = Self.only(names), Self.looksLikeAssignment(string, of: only) {
            throw refusal(.assignment(only))
        }
        let node: YAMLNode
        do {
            node = try YAMLNode.parse(text: string, file: file)
        } catch {
            if let only = Self.only(names), !Self.looksLikeMapping(string, of: only) {
                guard let whole = Self.whole(string) else { throw refusal(.noText) }
                self.init([only: whole])
                return
            }
            throw refusal(.notYAML(line: error.diagnostics.first?.location.line))
        }
        guard let mapping = node.mapping else {
            guard let only = Self.only(names) else { throw refusal(.notAMapping) }
            guard let whole = Self.whole(string) else { throw refusal(.noText) }
            self.init([only: whole])
            return
        }
        do throws(LoginSecretsError.Problem) {
            try self.init(mapping, names, cookies, allowsOthers: allowsOthers)
        } catch {
            throw refusal(error)
        }
    }

    private init(
        _ mapping: YAMLMapping, _ names: [String], _ cookies: [String], allowsOthers: Bool
    ) throws(LoginSecretsError.Problem) {
        var values: [String: String] = [:]
        for entry in mapping {
            let line = entry.keyLocation.line
            guard allowsOthers || names.contains(entry.key) else { throw .unknownName(line: line) }
            if case .null = entry.value.value { throw .noValue(name: entry.key, line: line) }
            guard let value = entry.value.string else {
                throw .notText(name: entry.key, kind: entry.value.value.kind, line: line)
            }
            values[entry.key] = value
        }
        let missing = names.filter { values[$0]?.isEmpty ?? true }
        let others = names.filter { !cookies.contains($0) }
        // Each of the two is a way to log in.
        let isWhole =
            !cookies.isEmpty && !others.isEmpty && (missing == names.filter(cookies.contains) || missing == others)
        guard missing.isEmpty || isWhole else {
            let told = missing.filter(others.contains)
            throw .missing(told.isEmpty ? missing : told)
        }
        self.init(values.filter { !missing.contains($0.key) })
    }

    /// Whether it is a browser's session itself: lines with tabs in them, or a line of `Cookie`. In YAML a session is
    /// indented.
    private static func looksLikeCookies(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline)
        return lines.contains { $0.contains("\t") && $0.first?.isWhitespace == false }
            || lines.count == 1 && (lines[0].lowercased().hasPrefix("cookie:") || !lines[0].contains(": "))
    }

    private static func only(_ names: [String]) -> String? { names.count == 1 ? names[0] : nil }

    /// Whether it looks like a mapping that is invalid in YAML, such as `secret: @x`.
    private static func looksLikeMapping(_ text: String, of name: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(name + ":") }
    }

    /// Whether it has the form of a shell's assignment: `secret=x`.
    private static func looksLikeAssignment(_ text: String, of name: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(name + "=") }
    }

    /// The text without its final line end; nil if it is empty.
    private static func whole(_ text: String) -> String? {
        var text = text
        if text.last?.isNewline == true { text.removeLast() }
        return text.isEmpty ? nil : text
    }
}
