import DownloadStore
import FileSystem
import MediaLibrary
import SyncFacts
import SystemPackage
import UserState

/// Messages for errors with a user's state and library: whole sentences, remedies included.
extension StoreError {
    var sentence: String {
        switch self {
        case .cannotOpen(let path, let detail): "\(Self.file(path)) can't be opened: \(detail)"
        case .corrupt(let path, let detail):
            "\(Self.file(path)) is damaged (\(detail)); nothing was changed. \(Self.afterDamage(path))"
        case .newerVersion(let path):
            """
            \(Self.file(path)) was written by a newer coursefetch; nothing was changed. Update coursefetch. To stay \
            with this version, \(Self.afterDowngrade(path))
            """
        case .notMade(let path):
            """
            \(Self.file(path)) is incomplete: a sync is creating it, or was stopped while it did, or the disk is full; \
            the next sync creates it
            """
        case .needsMigration(let path):
            "\(Self.file(path)) was written by another version of coursefetch; the next sync updates it"
        case .readOnly(let path): "\(Self.file(path)) can't be written: it or its file system is read-only"
        case .full(let path): "the disk of \(Self.file(path)) is full"
        case .busy(let path): "\(Self.file(path)) was locked by another process for 5 s"
        case .io(let path, let detail): "\(Self.file(path)) can't be read or written: \(detail)"
        case .refusedTransition(let id, let transition, let state):
            "download \(id.rawValue) can't \(transition.rawValue) while \(state?.rawValue ?? "unknown"): a bug"
        }
    }

    /// What the file at a path is, and the path.
    private static func file(_ path: String) -> String {
        switch StateFolder.Database(at: path) {
        case .state: "the state file \(path)"
        case .marks: "the file \(path) of what was watched"
        case .searchIndex: "the index \(path) of the search"
        }
    }

    private static func afterDamage(_ path: String) -> String {
        switch StateFolder.Database(at: path) {
        case .state:
            """
            Restore a backup, or move it away and run: \(SuggestedCommand.text("library adopt --rebuild")), which \
            rebuilds the state from the library
            """
        case .marks: "Restore a backup, or move it away: then nothing counts as watched"
        case .searchIndex: "Remove it: the next search makes it again"
        }
    }

    private static func afterDowngrade(_ path: String) -> String {
        switch StateFolder.Database(at: path) {
        case .state:
            """
            restore a backup of the state, or move it away and run: \
            \(SuggestedCommand.text("library adopt --rebuild"))
            """
        case .marks: "restore a backup of it, or move it away: then nothing counts as watched"
        case .searchIndex: "remove it: the next search makes it again"
        }
    }
}

extension LibraryError {
    /// The reason why a command can't use the library.
    var refusal: String {
        guard case .inUse(let library, let holder) = self else { return sentenceWithWaysOut }
        let who = holder.map { " since \($0.sinceWhen): \($0.who)" } ?? " by another process"
        return """
            the library \(library) is in use\(who); two states can't write to one library at the same time. Try again \
            later
            """
    }

    /// The reason why the library can't have been moved to a folder.
    var notMovedThere: String {
        let unchanged = "nothing was changed"
        return switch self {
        case .markerMissing(let library, folderExists: false):
            "there is no folder \(library); \(unchanged). Give the folder that the library is in now"
        case .markerMissing(let library, folderExists: true):
            """
            \(library) isn't the library of this state: \(library)/.coursefetch/library.json is missing; \(unchanged). \
            Give the folder that the library is in now. If this is the right one, run: \
            \(SuggestedCommand.text("library adopt --library \(ShellWord.quoted(library))"))
            """
        case .markerOfAnother(let library, let found):
            """
            \(library) is the library of another state (user \(found.user) on \(found.host)); \(unchanged). To take it \
            over, run: \(SuggestedCommand.adoption(of: library, from: found))
            """
        default: "\(refusal); \(unchanged)"
        }
    }
}

extension StateError {
    var sentence: String {
        switch self {
        case .notAFolder(let path): "\(path) isn't a folder; it is needed for the state"
        case .notAFile(let path): "\(path) isn't a file; it is needed for the state"
        case .ownedByAnother(let path, let account):
            "the state folder \(path) belongs to another account (uid \(account))"
        case .noLocks(let path):
            "the file system of \(path) has no locks; use another folder with --state DIR"
        case .system(_, let path, .readOnlyFileSystem):
            "can't write the state: the file system of \(path) is read-only; use another folder with --state DIR"
        case .system(_, let path, .noSpace), .system(_, let path, .diskQuotaExceeded):
            "can't write the state: the disk of \(path) is full; free some space"
        case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
        }
    }
}
