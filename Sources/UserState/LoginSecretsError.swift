/// Why a text isn't the secrets that a provider asks for. Facts only, and nothing of the text: it may be secret.
package struct LoginSecretsError: Error, Sendable, Equatable {
    /// What is wrong.
    package enum Problem: Error, Sendable, Equatable {
        /// Longer than ``LoginSecrets/longest``.
        case tooLong
        case notUTF8
        /// The one secret is written as `name=`, as the shell does.
        case assignment(String)
        /// Neither YAML nor, where one secret is asked for, the secret itself.
        case notYAML(line: Int?)
        /// Several are asked for, and this is something else than a mapping.
        case notAMapping
        /// One is asked for, and there is no text.
        case noText
        /// The provider asks for nothing of the name on this line. The name may be a secret.
        case unknownName(line: Int)
        case noValue(name: String, line: Int)
        /// `kind` in words: `an integer`.
        case notText(name: String, kind: String, line: Int)
        /// Missing or empty.
        case missing([String])
    }

    /// What the text is called in messages.
    package var file: String
    /// What is asked for.
    package var names: [String]
    package var problem: Problem

    package init(file: String, names: [String], problem: Problem) {
        self.file = file
        self.names = names
        self.problem = problem
    }
}
