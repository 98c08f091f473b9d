import FileSystem
import ProviderKit
import SyncFacts
import TextFormats
import UserState

/// Messages for errors with credentials and secrets: whole sentences, remedies included.
extension CredentialsError {
    var sentence: String {
        switch self {
        case .damaged(let path):
            """
            the credentials file \(path) is damaged; nothing was changed. Restore a backup, or delete it with: \
            \(SuggestedCommand.text("logout")), and log in again
            """
        case .newerVersion(let path):
            """
            the credentials file \(path) was written by a newer coursefetch; nothing was changed. Update coursefetch
            """
        case .notAFile(let path): "\(path) isn't a file; it is needed for credentials"
        case .tooMuch(let path): "the credentials are too long for \(path); nothing was changed"
        case .busy(let path): "another process has locked \(path) for 10 s; try again"
        case .noLocks(let path):
            "the file system of \(path) has no locks; use another folder with --state DIR"
        case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
        }
    }
}

extension LoginSecretsError {
    var sentence: String {
        switch problem {
        case .tooLong: "\(file) is longer than 1 MiB"
        case .notUTF8: "\(file) isn't UTF-8"
        case .assignment(let name): "\(file): '\(name)=' isn't part of a secret. \(form)"
        case .notYAML(let line):
            """
            \(file) can't be read as YAML\(line.map { " (line \($0))" } ?? ""). \(form); put a secret with special \
            characters in single quotes
            """
        case .notAMapping: "\(file) isn't a mapping. \(form)"
        case .noText: "\(file) is empty"
        case .unknownName(let line): "\(file), line \(line): the provider doesn't ask for this name. \(form)"
        case .noValue(let name, let line): "\(file), line \(line): '\(name)' is empty"
        case .notText(let name, let kind, let line):
            "\(file), line \(line): '\(name)' is \(kind); put it in quotes to make it text"
        case .missing(let names):
            """
            \(file): \(names.map { "'\($0)'" }.joined(separator: ", ")) \(names.count == 1 ? "is" : "are") missing \
            or empty. \(form)
            """
        }
    }

    /// The correct form of secrets with these names.
    private var form: String {
        guard !names.isEmpty else { return "The provider doesn't ask for a secret" }
        let lines = names.map { "\($0): …" }
        guard let last = lines.last, lines.count > 1 else { return "Write: " + lines.joined() }
        return "Write each on its own line: \(lines.dropLast().joined(separator: ", ")) and \(last)"
    }
}

extension CookieMistake {
    /// The end of a sentence. It has none of the text.
    var sentence: String {
        let place = line.map { "line \($0) " } ?? "it "
        return switch problem {
        case .tooLong: "the cookies have more than \(CookieJar.byteBound >> 10) KiB; export those of this site only"
        case .tooMany: "there are more than \(CookieJar.countBound) cookies; export those of this site only"
        case .fields where line == nil:
            "it is neither a file of cookies in Netscape's format (cookies.txt) nor one line of Cookie"
        case .fields: "\(place)has to have seven fields with tabs between them, as in Netscape's format (cookies.txt)"
        case .domain: "\(place)doesn't begin with the name of a host"
        case .flag: "\(place)has something else than TRUE or FALSE in its second or fourth field"
        case .expiry: "\(place)has no number of seconds in its fifth field"
        case .characters: "\(place)has a name or a value with characters that no cookie may have"
        case .pair: "a line of Cookie is name=value; name=value, and a file is given by its path, such as ./cookies.txt"
        case .json: "it is JSON; export the cookies in Netscape's format (cookies.txt)"
        case .empty: "there is no cookie in it"
        case .noServer(nil): "a line of Cookie doesn't say which host it is for; give a file of cookies (cookies.txt)"
        case .noServer(let parameter?):
            """
            a line of Cookie doesn't say which host it is for; add --set \(parameter)=… (with a credential helper, a \
            line endpoint=https://…), or give a file of cookies (cookies.txt)
            """
        case .expired(let end):
            "all of its cookies have expired, the last one at \(Timestamp.text(end)); export them again"
        }
    }
}
