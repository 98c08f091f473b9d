package import DownloadStore
package import FileSystem
package import MediaLibrary
package import YAMLSource

/// What commands refuse by themselves, by what it is about.
extension Refusal {
    /// About a user and the user's session.
    package enum User: Sendable, Equatable {
        /// No name that a user can have.
        case badName(String)
        /// Nobody of this name has ever logged in; `others` have.
        case unknown(String, others: [String])
        case loggedOut(String, isAccountsOwn: Bool)
        /// While a provider was asked somebody has logged out, or has logged in there: nothing was stored.
        case overtaken(provider: String)
        /// The state can't be opened, so that the session stays open; the credentials are wiped.
        case onlyWiped(Refusal)
        /// The session is closed, and a running sync hasn't said in time that nothing is transferring any more.
        case stillTransferring(LockHolder?)
        /// No sync of this user is running that a setting could be for.
        case noSync(String)

        var condition: SyncCondition {
            switch self {
            case .badName, .noSync: .usage
            case .unknown, .loggedOut, .overtaken: .loginNeeded
            case .onlyWiped(let refusal): refusal.condition
            case .stillTransferring: .workLeft
            }
        }
    }

    /// About a provider and its plugin.
    package enum Provider: Sendable, Equatable {
        /// Why nothing was stored by a login.
        package enum LoginFailure: Sendable, Equatable {
            case refused
            /// What it says has nothing to do with a login, and amounts to a refusal.
            case declined
            case later
            /// This machine has nothing left to ask it with.
            case machine
            case broken
        }

        case unknown(String, suggestion: String?)
        /// Its plugin can't be used.
        case unusable(String, reason: String)
        /// Its plugin has failed in this run.
        case broken(String, reason: String)
        case needsNoLogin(String)
        /// Parameters for its login that its manifest doesn't allow; what is wrong with each.
        case parameters(String, [String])
        /// Its plugin takes no part in a login.
        case takesNoParameters(String)
        /// A login at it failed; what it said.
        case login(String, LoginFailure, said: String)
        /// The credential helper of its secrets failed.
        case helper(String, HelperTrouble)
        /// What it has renewed can't be stored.
        case unsaved(String, Refusal)

        var condition: SyncCondition {
            switch self {
            case .unknown, .needsNoLogin, .parameters, .takesNoParameters: .usage
            case .helper: .loginNeeded
            case .unusable, .broken, .login(_, .broken, _): .providerBroken
            case .login(_, .refused, _): .loginNeeded
            case .login(_, .declined, _): .downloadsFailed
            case .login(_, .later, _): .workLeft
            case .login(_, .machine, _): .stateUnusable
            case .unsaved(_, let refusal): refusal.condition
            }
        }
    }

    /// About what was selected.
    package enum Selecting: Sendable, Equatable {
        /// The state knows no download yet.
        case nothingYet
        /// These match no video.
        case unmatched([UnmatchedSelector])
        /// `course/video`, which several videos fit.
        case ambiguous(AmbiguousSelector)
    }

    /// About catalogs.
    package enum Written: Sendable, Equatable {
        /// What its reader found, and what that amounts to.
        case mistakes([Diagnostic], SyncCondition)
        /// No course belongs to the file; these have some.
        case noCourses(file: String, known: [String])

        var condition: SyncCondition {
            switch self {
            case .mistakes(_, let condition): condition
            case .noCourses: .usage
            }
        }
    }

    /// About what a run works with: this machine, the state, the library.
    package enum Run: Sendable, Equatable {
        /// What `--ffmpeg` names can't be run.
        case noProgram(path: String)
        /// So few files may be open that nothing would work.
        case fewDescriptors(Int)
        /// The library refused, so that nothing was started.
        case notStarted(Refusal)
        /// The state can't be written.
        case unwritable
        /// The run was ended by what a download has met.
        case download(DownloadError)
        /// Less is free than is to stay so on the disk of the library.
        case noRoom(free: Int64, floor: Int64, library: String)
        /// The state has no library yet.
        case noLibrary
        /// The folder that the library is said to have moved to isn't the library.
        case notMovedThere(LibraryError)
        /// A newer version wrote the library's list of files. `isUnused`: it was to be read.
        case newerList(library: String, isUnused: Bool)
        /// No URL whose server could be asked for the time.
        case badClockURL
        /// What was asked of a run isn't a bandwidth.
        case badBandwidth(String)
        /// It was asked for something that only another version knows.
        case unknownRequest
        /// Files that were to be made are there already.
        case filesThere([String])
        /// A file or folder can't be made.
        case unmadeFile(path: String, reason: String)

        var condition: SyncCondition {
            switch self {
            case .noProgram, .badClockURL, .badBandwidth, .unknownRequest: .usage
            case .notStarted(let refusal): refusal.condition
            case .fewDescriptors, .unwritable, .download, .noRoom, .noLibrary, .notMovedThere, .newerList, .filesThere,
                .unmadeFile:
                .stateUnusable
            }
        }
    }
}

/// A selector that matches no video.
package struct UnmatchedSelector: Sendable, Equatable {
    /// As it was given.
    package var selector: Selector
    /// What was probably meant.
    package var suggestion: Selector?

    /// - Parameter videos: those that it could have matched.
    package init(_ selector: Selector, among videos: some Sequence<VideoReference>) {
        self.selector = selector
        suggestion = selector.suggestion(among: videos)
    }
}

/// Why a credential helper gave or took nothing.
package enum HelperTrouble: Sendable, Equatable {
    case notStarted
    case exited(Int32)
    case signaled(Int32)
    case tooSlow(seconds: Int)
    /// The run ended before it did.
    case cancelled
    case unreadable
    /// A secret of this name has a line break in it, which the protocol can't carry.
    case unwritable(name: String)
}
