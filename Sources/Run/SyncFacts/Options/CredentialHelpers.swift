/// The programs that keep secrets, from the settings. A command itself contains no secret.
package struct CredentialHelpers: Sendable, Equatable {
    private var general: String?
    private var byProvider: [String: String] = [:]

    package init() {}

    /// Adds a command; of two for the same provider the first counts.
    package mutating func add(_ command: String, of provider: String?) {
        if let provider {
            byProvider[provider] = byProvider[provider] ?? command
        } else {
            general = general ?? command
        }
    }

    /// The command for a provider: its own, else the one for all; nil if there is none, or its own is empty.
    package subscript(_ provider: String) -> String? {
        let command = byProvider[provider] ?? general
        return command?.isEmpty == false ? command : nil
    }
}
