package import Foundation
import ProviderKit
import YAMLSource

/// What a person types to log in at a provider, by the names in its manifest. Prints as redacted.
package struct LoginSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    let values: Secret<[String: String]>

    package var description: String { values.description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The secrets as they were typed.
    package init(_ values: [String: String]) { self.values = Secret(values) }

    /// The most bytes that a file of secrets may have.
    package static let longest = 1 << 20

    /// Reads a YAML or JSON mapping of names to secrets. If exactly one is asked for, a text that is no mapping is it, without
    /// the line end after it.
    ///
    /// What is refused is told without any of the text: it may be secret.
    ///
    /// - Parameter file: what the text is called in messages.
    package init(_ text: Data, file: String, names: [String]) throws(Refusal) {
        guard text.count <= Self.longest else { throw Self.refusal("\(file) is longer than 1 MiB") }
        guard let string = String(validating: text, as: UTF8.self) else { throw Self.refusal("\(file) isn't UTF-8") }
        if let only = Self.only(names), Self.looksLikeAssignment(string, of: only) {
            throw Self.refusal("\(file): “\(only)=” is no part of a secret. \(Self.form(names))")
        }
        let node: YAMLNode
        do {
            node = try YAMLNode.parse(text: string, file: file)
        } catch {
            if let only = Self.only(names), !Self.looksLikeMapping(string, of: only) {
                self.init([only: try Self.whole(string, file)])
                return
            }
            let line = error.diagnostics.first.map { " (line \($0.location.line))" } ?? ""
            throw Self.refusal(
                """
                \(file) can't be read as YAML\(line). \(Self.form(names)); put a secret with special characters in single \
                quotes
                """)
        }
        guard let mapping = node.mapping else {
            guard let only = Self.only(names) else {
                throw Self.refusal("\(file) isn't a mapping. \(Self.form(names))")
            }
            self.init([only: try Self.whole(string, file)])
            return
        }
        try self.init(mapping, file, names)
    }

    private init(_ mapping: YAMLMapping, _ file: String, _ names: [String]) throws(Refusal) {
        var values: [String: String] = [:]
        for entry in mapping {
            let place = "\(file), line \(entry.keyLocation.line)"
            guard names.contains(entry.key) else {
                throw Self.refusal("\(place): the provider asks for nothing of this name. \(Self.form(names))")
            }
            if case .null = entry.value.value { throw Self.refusal("\(place): “\(entry.key)” is empty") }
            guard let value = entry.value.string else {
                let kind = entry.value.value.kind
                throw Self.refusal("\(place): “\(entry.key)” is \(kind); put it in quotes to make it text")
            }
            values[entry.key] = value
        }
        let missing = names.filter { values[$0]?.isEmpty ?? true }
        guard missing.isEmpty else {
            let list = missing.map { "“\($0)”" }.joined(separator: ", ")
            let verb = missing.count == 1 ? "is" : "are"
            throw Self.refusal("\(file): \(list) \(verb) missing or empty. \(Self.form(names))")
        }
        self.init(values)
    }

    private static func only(_ names: [String]) -> String? { names.count == 1 ? names[0] : nil }

    /// Whether somebody meant a mapping and wrote one that YAML doesn't take, such as `secret: @x`.
    private static func looksLikeMapping(_ text: String, of name: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(name + ":") }
    }

    /// Whether somebody wrote it as the shell does: `secret=x`.
    private static func looksLikeAssignment(_ text: String, of name: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix(name + "=") }
    }

    private static func whole(_ text: String, _ file: String) throws(Refusal) -> String {
        var text = text
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw refusal("\(file) is empty") }
        return text
    }

    private static func form(_ names: [String]) -> String {
        guard !names.isEmpty else { return "The provider asks for no secret" }
        let lines = names.map { "\($0): …" }
        guard let last = lines.last, lines.count > 1 else { return "Write: " + lines.joined() }
        return "Write each on a line of its own: \(lines.dropLast().joined(separator: ", ")) and \(last)"
    }

    private static func refusal(_ message: String) -> Refusal { Refusal(condition: .usage, message: message) }
}
