/// The reason why a text isn't the requested secrets. Facts only, without the text: it may be secret.
package struct LoginSecretsError: Error, Sendable, Equatable {
    package enum Problem: Error, Sendable, Equatable {
        /// Longer than ``LoginSecrets/longest``.
        case tooLong
        case notUTF8
        /// The one secret is written as `name=`, as in a shell.
        case assignment(String)
        /// Neither YAML nor, if one secret is requested, the secret itself.
        case notYAML(line: Int?)
        /// Several are requested, and this isn't a mapping.
        case notAMapping
        /// One is requested, and there is no text.
        case noText
        /// The provider doesn't request the name on this line. The name may be a secret.
        case unknownName(line: Int)
        case noValue(name: String, line: Int)
        /// `kind` in words: `an integer`.
        case notText(name: String, kind: String, line: Int)
        /// Missing or empty.
        case missing([String])
    }

    /// The text's name in messages.
    package var file: String
    /// The requested names.
    package var names: [String]
    package var problem: Problem

    package init(file: String, names: [String], problem: Problem) {
        self.file = file
        self.names = names
        self.problem = problem
    }
}
