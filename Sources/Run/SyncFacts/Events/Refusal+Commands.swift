package import DownloadStore
package import FileSystem
package import Foundation
package import MediaLibrary
package import ProviderKit
package import YAMLSource

/// Refusals that originate in commands, by topic.
extension Refusal {
    /// A problem with a user and the user's session.
    package enum User: Sendable, Equatable {
        /// A name that no user can have.
        case badName(String)
        /// Nobody of this name has ever logged in; `others` have.
        case unknown(String, others: [String])
        case loggedOut(String, isAccountsOwn: Bool)
        /// During the login somebody has logged out, or has logged in at that provider: nothing was stored.
        case overtaken(provider: String)
        /// The state can't be opened, so that the session stays open; the credentials are wiped.
        case onlyWiped(Refusal)
        /// The session is closed, but a running sync hasn't confirmed in time that its transfers have ended.
        case stillTransferring(LockHolder?)
        /// The session is closed, but a process still writes to this shard of the library, and to `others` more.
        case stillSyncing(shard: String, LockHolder?, others: Int)
        /// This user has no running sync that could take a setting.
        case noSync(String)

        var condition: SyncCondition {
            switch self {
            case .badName, .noSync: .usage
            case .unknown, .loggedOut, .overtaken: .loginNeeded
            case .onlyWiped(let refusal): refusal.condition
            case .stillTransferring, .stillSyncing: .workLeft
            }
        }
    }

    /// A problem with a provider and its plugin.
    package enum Provider: Sendable, Equatable {
        /// The reason why a login stored nothing.
        package enum LoginFailure: Sendable, Equatable {
            case refused
            /// An answer that doesn't fit a login, and counts as a refusal.
            case declined
            case later
            /// This machine lacks the resources to ask it.
            case machine
            case broken
        }

        case unknown(String, suggestion: String?)
        /// Its plugin can't be used.
        case unusable(String, reason: String)
        /// Its plugin has failed in this run.
        case broken(String, reason: String)
        case needsNoLogin(String)
        /// Parameters for its login that its manifest doesn't allow, with the mistake in each.
        case parameters(String, [String])
        /// Its plugin doesn't support login.
        case takesNoParameters(String)
        /// It can't say what is at an address.
        case recognisesNothing(String)
        /// It can't list the courses of a user.
        case listsNoCourses(String)
        /// The address needs a login, in its words.
        case wantsLogin(RequiredLogin, said: String)
        /// Its login failed, with its message.
        case login(String, LoginFailure, said: String)
        /// Its login needs a person at a terminal; `set` are its parameters as they were given, `wanted` is what it
        /// asks for, if anything.
        case needsPerson(String, set: [String], wanted: String?)
        /// Its login has too many steps, or takes too long.
        case unfinishedLogin(String)
        /// No port of this machine can be opened for its login.
        case noPort(String)
        /// The credential helper of its secrets failed.
        case helper(String, CredentialHelperProblem)
        /// What was given for this secret isn't a browser's session.
        case cookies(String, secret: String, CookieMistake)
        /// Its renewed credentials can't be stored.
        case unsaved(String, Refusal)

        var condition: SyncCondition {
            switch self {
            case .unknown, .needsNoLogin, .parameters, .takesNoParameters, .recognisesNothing, .listsNoCourses,
                .cookies:
                .usage
            case .helper, .needsPerson, .unfinishedLogin, .wantsLogin: .loginNeeded
            case .noPort: .stateUnusable
            case .unusable, .broken, .login(_, .broken, _): .providerBroken
            case .login(_, .refused, _): .loginNeeded
            case .login(_, .declined, _): .downloadsFailed
            case .login(_, .later, _): .workLeft
            case .login(_, .machine, _): .stateUnusable
            case .unsaved(_, let refusal): refusal.condition
            }
        }
    }

    /// A problem with the selection.
    package enum Selecting: Sendable, Equatable {
        /// The state knows no download yet.
        case nothingYet
        /// The selected videos are no longer in their catalogs; the first of them.
        case gone(Selector)
        /// These match no video.
        case unmatched([UnmatchedSelector])
        /// `course/video` that matches several videos.
        case ambiguous(AmbiguousSelector)
    }

    /// A problem with catalogs.
    package enum Written: Sendable, Equatable {
        /// Diagnostics of the reader, and their exit condition.
        case mistakes([Diagnostic], SyncCondition)
        /// The catalogs have no course of this name that its provider lists; these are such courses.
        case notListed(String, known: [String], isThere: Bool)
        /// The file has no courses; these files have some.
        case noCourses(file: String, known: [String])
        /// No provider knows what is at the address; those that were asked, and what some of them said.
        case unrecognised(String, asked: [String], problems: [String])
        /// The catalog has a course with this id.
        case courseThere(String, String)
        /// The course can't be added to the file as it is written, or not without mistakes.
        case unfitting(String, reasons: [String], course: String)
        /// The file was changed while the course was added.
        case changedMeanwhile(String)

        var condition: SyncCondition {
            switch self {
            case .mistakes(_, let condition): condition
            case .noCourses, .notListed, .courseThere, .unfitting: .usage
            case .unrecognised(_, _, let problems): problems.isEmpty ? .usage : .downloadsFailed
            case .changedMeanwhile: .workLeft
            }
        }
    }

    /// A problem with the run's environment: this machine, the state, the library.
    package enum Run: Sendable, Equatable {
        /// The program of `--ffmpeg` can't be run.
        case noProgram(path: String)
        /// The run's hours (`--between`) haven't begun.
        case outsideHours(RunWindow.Hours, opens: Date, TimeZone)
        /// The limit on open files is too low to work.
        case fewDescriptors(Int)
        /// The library refused, so that nothing was started.
        case notStarted(Refusal)
        /// The state can't be written.
        case unwritable
        /// An error of a download ended the run.
        case download(DownloadError)
        /// The disk of the library has too little free space above the floor. `isStandard`: nobody has chosen that.
        case noSpace(free: Int64, floor: Int64, isStandard: Bool, library: String)
        /// The shard was synced on another machine since this one read its state.
        case overtaken(String, by: String)
        /// The state of a shard would be on a network file system of this name, and nobody chose that.
        case stateOnNetwork(path: String, kind: String)
        /// A shard that a command about all shards leaves out, by its name `2/4`, and why.
        case shardLeftOut(String, Refusal)
        /// Not the library of shards.
        case noShards(library: String)
        /// The user has a library without shards, and another one with shards.
        case severalLibraries(String)
        /// A file couldn't be put in its place, so that the library can't be divided anew.
        case unsettled(LibraryError)
        /// This file was left by an interrupted move.
        case stranded(path: String)
        /// There is no library yet, so that nobody knows how many shards it shall have.
        case shardsUnknown(library: String)
        /// The library is to be divided by another unit among as many shards as it has.
        case sameCount(Int)
        /// The state has no library yet.
        case noLibrary
        /// The folder given as the library's new place isn't the library.
        case notMovedThere(LibraryError)
        /// The folder to adopt is the library of another user than the one who adopts it.
        case libraryOfUser(String, LibraryMarker, adopter: String)
        /// A newer version wrote the library's list of files. `isUnused`: the command had to read it.
        case newerList(library: String, isUnused: Bool)
        /// The URL given for the clock comparison is invalid.
        case badClockURL
        /// The text given to a run isn't a bandwidth.
        case badBandwidth(String)
        /// The request is known only to another version.
        case unknownRequest
        /// Files to create exist already.
        case filesThere([String])
        /// A file or folder can't be made.
        case unmadeFile(path: String, reason: String)

        var condition: SyncCondition {
            switch self {
            case .noProgram, .badClockURL, .badBandwidth, .unknownRequest, .stateOnNetwork, .noShards,
                .severalLibraries, .shardsUnknown, .sameCount:
                .usage
            case .outsideHours, .overtaken: .workLeft
            case .notStarted(let refusal), .shardLeftOut(_, let refusal): refusal.condition
            case .fewDescriptors, .unwritable, .download, .noSpace, .noLibrary, .notMovedThere, .libraryOfUser,
                .newerList, .unsettled, .stranded, .filesThere, .unmadeFile:
                .stateUnusable
            }
        }
    }
}

/// A selector that matches no video.
package struct UnmatchedSelector: Sendable, Equatable {
    /// The selector as given.
    package var selector: Selector
    /// A similar selector.
    package var suggestion: Selector?

    /// - Parameter videos: the videos that it could have matched.
    package init(_ selector: Selector, among videos: some Sequence<VideoReference>) {
        self.selector = selector
        suggestion = selector.suggestion(among: videos)
    }
}

/// The reason why a credential helper failed.
package enum CredentialHelperProblem: Sendable, Equatable {
    case notStarted
    case exited(Int32)
    case signaled(Int32)
    case tooSlow(seconds: Int)
    /// The run ended first.
    case cancelled
    case unreadable
    /// A secret of this name has a line break in it, which the protocol can't carry.
    case unwritable(name: String)
}

/// Refusals of a copy.
extension Refusal {
    /// A problem with the folder that a library is copied to.
    package enum Copying: Sendable, Equatable {
        /// The folder in which it would be made doesn't exist.
        case noFolder(String)
        /// It is the library, or is in it.
        case inLibrary(String)
        /// It is the library of a state, or the copy of another library.
        case notCopy(String, LibraryMarker)
        /// Its disk has too little free space.
        case noRoom(needed: Int64, free: Int64, folder: String)

        var condition: SyncCondition {
            switch self {
            case .inLibrary: .usage
            case .noFolder, .notCopy, .noRoom: .stateUnusable
            }
        }
    }
}
