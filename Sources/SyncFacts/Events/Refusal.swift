package import DownloadStore
import FileSystem
package import MediaLibrary
import UserState

/// A command that can't do what it was asked: what stands in its way, and the condition that it is.
package struct Refusal: Error, Sendable, Equatable {
    /// What its exit code tells.
    package var condition: SyncCondition
    /// Whole sentences for the person, ways out included.
    package var message: String

    package init(condition: SyncCondition, message: String) {
        self.condition = condition
        self.message = message
    }

    package init(_ error: StoreError) {
        let message =
            switch error {
            case .cannotOpen(let path, let detail): "the state file \(path) can't be opened: \(detail)"
            case .corrupt(let path, let detail):
                """
                the state file \(path) is damaged (\(detail)); nothing was changed. Put a backup in its place, or move it \
                away to begin anew: coursefetch library adopt --rebuild makes the new one know again what is in the library
                """
            case .newerVersion(let path):
                "the state file \(path) was written by a newer coursefetch; nothing was changed. Update coursefetch"
            case .notMade(let path):
                """
                the state file \(path) is empty: what made it was stopped, or its disk was full; the next sync makes it
                """
            case .needsMigration(let path):
                "the state file \(path) was written by another version of coursefetch; the next sync brings it up to date"
            case .readOnly(let path): "the state file \(path) can't be written: it or its file system is read-only"
            case .full(let path): "the disk that holds the state file \(path) is full"
            case .busy(let path): "the state file \(path) has been locked by another process for 5 s"
            case .io(let path, let detail): "the state file \(path) can't be read or written: \(detail)"
            case .refusedTransition(let id, let transition, let state):
                "download \(id.rawValue) can't \(transition.rawValue) while \(state?.rawValue ?? "unknown"): a bug"
            }
        self.init(condition: error.isBug ? .bug : .stateUnusable, message: message)
    }

    package init(_ error: LibraryError) {
        if case .inUse(let library, let holder) = error {
            let who = holder.map { " since \($0.sinceWhen): \($0.who)" } ?? " by another process"
            self.init(
                condition: .workLeft,
                message: """
                    the library \(library) is in use\(who); two states can't write in one library at the same time. Try \
                    again when that is done
                    """)
            return
        }
        let message =
            switch error {
            case .markerMissing(let library, folderExists: true):
                """
                \(library) isn't the library that the state knows. If its disk isn't mounted, mount it. If it has moved, \
                run: coursefetch library move NEW-FOLDER. To take this folder as the library, run: coursefetch library adopt \
                --library \(library)
                """
            case .markerMissing(let library, folderExists: false):
                """
                there is no folder \(library), the library that the state knows; make it or mount it first. If it has \
                moved, run: coursefetch library move NEW-FOLDER
                """
            case .markerOfAnother(let library, let found):
                """
                \(library) is the library of another state (user \(found.user) on \(found.host)). If \
                the wrong disk is mounted, mount the right one. If the library has moved, run: coursefetch library move \
                NEW-FOLDER. To take this folder over, run: coursefetch library adopt --library \(library)
                """
            default: "the library can't be used: \(error.sentence)"
            }
        self.init(condition: .stateUnusable, message: message)
    }
}

extension Refusal {
    /// Of what the rooms below throw.
    package init(any error: any Error) {
        switch error {
        case let error as Refusal: self = error
        case let error as StoreError: self.init(error)
        case let error as LibraryError: self.init(error)
        case let error as StateError: self.init(error)
        case let error as CredentialsError: self.init(error)
        default: self.init(condition: .bug, message: "\(error)")
        }
    }
}

extension StoreError {
    fileprivate var isBug: Bool {
        if case .refusedTransition = self { true } else { false }
    }
}

extension LibraryError {
    /// One sentence without its full stop.
    package var sentence: String {
        switch self {
        case .markerMissing(let library, _): "\(library) isn't the library that the state knows"
        case .markerOfAnother(let library, _): "\(library) is another state's library"
        case .inUse(let library, _): "\(library) is in use by another process"
        case .replaced(let library): "another folder stands at \(library) than when it was opened"
        case .markerUnreadable(let library): "\(library)/.coursefetch/library.json isn't what it should be"
        case .notAFolder(let path): "\(path) is needed as a folder, and is something else"
        case .notAFile(let path): "\(path) is needed as a file, and is something else"
        case .leadsOut(let path):
            "\(path) leads through a symbolic link, which is never followed in a library; use a bind mount instead"
        case .badPath(let path): "\(path) isn't a path in a library: a bug"
        case .stopped: "it was stopped"
        case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
        }
    }
}

extension HeldCourse {
    /// What is wrong, and the ways out.
    package var message: String {
        let selector = Selector(course: course).description
        switch reason {
        case .filesMissing(let count, let finished, let example):
            return """
                the course “\(title)” is left as it is: \(count) of its \(finished) finished files are gone, such as \
                \(example). If a disk isn't mounted there, mount it. If they are to be fetched anew, run the sync with \
                --refetch-lost, or: coursefetch verify \(selector) --repair
                """
        case .unreadable(let sentence):
            return "the course “\(title)” is left as it is: \(sentence)"
        }
    }
}
