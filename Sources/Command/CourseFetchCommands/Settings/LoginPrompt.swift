import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

/// The person at the terminal, in a login that has steps.
struct LoginPrompt {
    let provider: String
    /// The parameters of the login, as they were given.
    let set: [String]
    let output: OutputChannel

    var dialog: LoginDialog {
        LoginDialog(arrival: SessionText.arrival) { [provider, set] question in
            guard let prompt = SecretPrompt() else {
                return .failure(Self.nobody(provider, set, wanted: question.name))
            }
            defer { prompt.close() }
            do throws(SecretPrompt.Problem) {
                let label = TerminalFormat.printable("\(provider) \(question.label)")
                let value = try await prompt.ask("\(label): ", isSecret: question.isSecret)
                return value.isEmpty ? .failure(SecretsInput.emptiness(of: question.name)) : .success(value)
            } catch { return .failure(SecretsInput.refusal(error, of: question.name)) }
        } tell: { [provider, set, output] notice in
            guard let prompt = SecretPrompt() else { return Self.nobody(provider, set, wanted: nil) }
            prompt.close()
            for line in SessionText.step(of: provider, notice) { output.line(line, to: STDERR_FILENO) }
            // A question goes to the terminal at once.
            await output.flush()
            return nil
        }
    }

    private static func nobody(_ provider: String, _ set: [String], wanted: String?) -> Refusal {
        .provider(.needsPerson(provider, set: set, wanted: wanted))
    }
}
