import CommandOutput
import Foundation
import Operations
import SyncFacts
import Terminal

/// The person at the terminal, in a login that has steps.
struct LoginPrompt {
    let provider: String
    let output: OutputChannel

    var dialog: LoginDialog {
        LoginDialog(arrival: SessionText.arrival) { [provider] question in
            guard let prompt = SecretPrompt() else { return .failure(Self.nobody(provider, wanted: question.name)) }
            defer { prompt.close() }
            do throws(SecretPrompt.Problem) {
                let label = TerminalFormat.printable("\(provider) \(question.label)")
                let value = try await prompt.ask("\(label): ", isSecret: question.isSecret)
                return value.isEmpty ? .failure(SecretsInput.emptiness(of: question.name)) : .success(value)
            } catch { return .failure(SecretsInput.refusal(error, of: question.name)) }
        } tell: { [provider, output] notice in
            guard let prompt = SecretPrompt() else { return Self.nobody(provider, wanted: nil) }
            prompt.close()
            for line in SessionText.step(of: provider, notice) { output.line(line, to: STDERR_FILENO) }
            // A question goes to the terminal at once.
            await output.flush()
            return nil
        }
    }

    private static func nobody(_ provider: String, wanted: String?) -> Refusal {
        .provider(.needsPerson(provider, wanted: wanted))
    }
}
