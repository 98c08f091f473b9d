package import FileSystem
import Foundation
import ProviderKit
package import UserState

/// What goes wrong with a user's state, credentials or secrets, for a person.
extension Refusal {
    package init(_ error: StateError) {
        let message =
            switch error {
            case .notAFolder(let path): "\(path) is needed as a folder for the state, and is something else"
            case .notAFile(let path): "\(path) is needed as a file of the state, and is something else"
            case .ownedByAnother(let path, let account): "the state folder \(path) belongs to account \(account)"
            case .noLocks(let path):
                "\(path) can't be locked on its file system; keep the state elsewhere with --state DIR"
            case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
            }
        self.init(condition: .stateUnusable, message: message)
    }

    package init(_ error: CredentialsError) {
        let message =
            switch error {
            case .damaged(let path):
                """
                the credentials file \(path) is damaged; nothing was changed. Put a backup in its place, or forget what is in \
                it with “coursefetch logout” and log in anew
                """
            case .newerVersion(let path):
                """
                the credentials file \(path) was written by a newer coursefetch; nothing was changed. Update coursefetch
                """
            case .notAFile(let path): "\(path) is needed for credentials, and is something else"
            case .tooMuch(let path): "the credentials are too long for \(path); nothing was changed"
            case .busy(let path): "another process has kept \(path) locked for 10 s; try again"
            case .noLocks(let path):
                "\(path) can't be locked on its file system; keep the state elsewhere with --state DIR"
            case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
            }
        self.init(condition: .stateUnusable, message: message)
    }

    package init(_ error: LoginSecretsError) {
        let form = Self.form(error.names)
        let message =
            switch error.problem {
            case .tooLong: "\(error.file) is longer than 1 MiB"
            case .notUTF8: "\(error.file) isn't UTF-8"
            case .assignment(let name): "\(error.file): “\(name)=” is no part of a secret. \(form)"
            case .notYAML(let line):
                """
                \(error.file) can't be read as YAML\(line.map { " (line \($0))" } ?? ""). \(form); put a secret with special \
                characters in single quotes
                """
            case .notAMapping: "\(error.file) isn't a mapping. \(form)"
            case .noText: "\(error.file) is empty"
            case .unknownName(let line):
                "\(error.file), line \(line): the provider asks for nothing of this name. \(form)"
            case .noValue(let name, let line): "\(error.file), line \(line): “\(name)” is empty"
            case .notText(let name, let kind, let line):
                "\(error.file), line \(line): “\(name)” is \(kind); put it in quotes to make it text"
            case .missing(let names):
                """
                \(error.file): \(names.map { "“\($0)”" }.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") missing \
                or empty. \(form)
                """
            }
        self.init(condition: .usage, message: message)
    }

    /// How secrets of these names are written.
    private static func form(_ names: [String]) -> String {
        guard !names.isEmpty else { return "The provider asks for no secret" }
        let lines = names.map { "\($0): …" }
        guard let last = lines.last, lines.count > 1 else { return "Write: " + lines.joined() }
        return "Write each on a line of its own: \(lines.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension Refusal {
    /// Another process is at work for the same user.
    package static func held(by holder: LockHolder?) -> Refusal {
        guard let holder else {
            return Refusal(
                condition: .workLeft, message: "another sync of this user is running; try again when it is done")
        }
        return Refusal(
            condition: .workLeft,
            message: """
                another sync of this user is running since \(holder.sinceWhen): \(holder.who); try again when it is done
                """)
    }
}

extension LockHolder {
    /// Since when it has the lock, for a person.
    var sinceWhen: String {
        let isToday = LocalDay(of: since, in: .current) == LocalDay(of: Date(), in: .current)
        return isToday ? "\(LocalTime(of: since, in: .current))" : Timestamp.text(since)
    }

    /// Who it is, for a person: `user alice, process 4711 on nas with a.yaml`.
    var who: String {
        let catalogs = catalogs.joined(separator: ", ")
        return (user.map { "user \($0), " } ?? "") + "process \(pid) on \(host)"
            + (catalogs.isEmpty ? "" : " with \(catalogs)")
    }
}
