import FileSystem
import MigrationSources
import SyncFacts
import SystemPackage

/// The sentences for what is wrong with another downloader's store, with no full stop. What they quote is the store's.
extension SourceProblem {
    var sentence: String {
        switch self {
        case .missing(let path): "there is no file or folder \(ShellWord.quoted(path))"
        case .unreadable(let path, let code): "can't read \(ShellWord.quoted(path)): \(Errno(rawValue: code))"
        case .notAFolder(let path):
            "\(ShellWord.quoted(path)) isn't a folder; a source of this kind is a folder: name the one that it is in"
        case .notAFile(let path):
            "\(ShellWord.quoted(path)) isn't a file; a source of this kind is a file: name one in it"
        case .badFormat(let path, let fault): "\(ShellWord.quoted(path)) can't be used: \(fault.sentence)"
        case .missingField(let path, let field):
            "\(ShellWord.quoted(path)) has no '\(field)', which is necessary in such a file"
        case .nothingFound(let path, let expected):
            """
            \(ShellWord.quoted(path)) has nothing of this kind\(Self.sought(expected)); is it the right folder, and \
            the right kind?
            """
        }
    }

    private static func sought(_ names: [String]) -> String {
        names.isEmpty ? "" : ": there is no \(Wording.list(names, "or"))"
    }
}

extension FormatFault {
    /// What is wrong with bytes.
    var sentence: String {
        switch self {
        case .foreign: "it isn't in the format of its kind"
        case .truncated: "it ends in the middle"
        case .malformed: "something in it contradicts its format"
        case .tooDeep: "it is deeper than any real one, or contains itself"
        case .tooLarge: "it is larger than any real one"
        case .notText: "it has text that isn't UTF-8"
        case .line(let number): "line \(Wording.grouped(number)) can't be understood"
        }
    }
}

extension RecordFault {
    /// What is wrong with a record.
    var sentence: String {
        switch self {
        case .missing(let field): "it has no '\(field)'"
        case .wrongType(let field): "its '\(field)' isn't of the right type"
        case .unknownValue(let field): "its '\(field)' has a value that coursefetch doesn't know"
        case .badPath(""): "it has no path"
        case .badPath(let path): "its path '\(path)' leads out of the source"
        case .unreadable(let path, let fault):
            "its file '\(path)' can't be used: \(fault?.sentence ?? "it can't be read")"
        case .repeated: "the source has the record twice; the first one counts"
        }
    }

    /// Its name for programs.
    var word: String {
        switch self {
        case .missing: "missing_field"
        case .wrongType: "wrong_type"
        case .unknownValue: "unknown_value"
        case .badPath: "bad_path"
        case .unreadable: "unreadable"
        case .repeated: "repeated"
        }
    }
}

extension SourceHold {
    /// What is needed first.
    var sentence: String {
        switch self {
        case .preparing: "the other downloader's server was still preparing it"
        case .ofUser(let user): "it belongs to the other downloader's user '\(user)'"
        case .unnamed: "the source doesn't say which video it is"
        }
    }

    /// Its name for programs.
    var word: String {
        switch self {
        case .preparing: "preparing"
        case .ofUser: "other_user"
        case .unnamed: "unnamed"
        }
    }
}
