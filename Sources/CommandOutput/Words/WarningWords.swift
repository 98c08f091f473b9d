import DownloadStore
import Hooks
import MediaLibrary
package import SyncFacts
import YAMLSource

/// The sentences for what deserves a look.
extension SyncWarning {
    /// One sentence without its full stop; what a catalog's reader found may have several lines.
    package var message: String {
        switch self {
        case .doubtful(let diagnostic): diagnostic.text
        case .notDiscovered(let course, let place):
            "\(place): the course “\(course)” is to be filled by its provider, which this version can't do yet"
        case .courseMoved(let course, let file): "the course “\(course)” now belongs to \(file)"
        case .damagedState(let reference): "the state of \(Selector(reference)) was damaged; it begins anew"
        case .loggedOut: "the user is logged out; this sync goes on after a login"
        case .listNotKept(let refusal): "the list of files in the library isn't kept: \(refusal.message)"
        case .loginWanted(let provider, let error): "the provider “\(provider)” wants a login: \(error.message)"
        case .clockOff(let host, let seconds):
            "the clock of \(host) is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's"
        case .prune(let pruning): pruning.message
        case .sidecarMissed(let sidecar, let error, _, let address):
            "\(sidecar.title) was not fetched\(address.map { " from \($0)" } ?? ""): \(error.message)"
        case .sidecarsUnknown(let error): "what comes along with it was not fetched: \(error.message)"
        case .notPlaced(let path, let placing): "\(path) could not be placed: \(placing.reason)"
        case .stream(let stream): stream.message
        case .metadataForeign(let files): files.message
        case .newsUntold(let course, let trouble): trouble.message(course)
        case .metadataFailed(let error): "not everything could be written beside the videos: \(error.sentence)"
        }
    }
}

extension NewsTrouble {
    fileprivate func message(_ course: String) -> String {
        switch self {
        case .refused(let reason): "an on-new hook failed for \(course)\(reason.map { ": \($0)" } ?? "")"
        case .hook(.timedOut): "an on-new hook took too long for \(course) and was ended"
        case .hook(.signaled(let signal)): "an on-new hook was ended by signal \(signal) for \(course)"
        case .hook(.notStarted): "an on-new hook can't be run"
        case .hook: "an on-new hook gave no answer that can be read for \(course)"
        case .status(let status, let host): "the notification about \(course) wasn't sent: \(host) answered \(status)"
        case .unreachable(let host, let why): "the notification about \(course) wasn't sent to \(host): \(why)"
        }
    }
}

extension SyncWarning.Foreign {
    fileprivate var message: String {
        count == 1
            ? "\(example) isn't as coursefetch wrote it and stays as it is; delete it to have it written anew"
            : """
            \(count) files of \(course), such as \(example), aren't as coursefetch wrote them and stay as they are; delete \
            them to have them written anew
            """
    }
}

extension SyncWarning.Sidecar {
    /// `subtitle en`.
    fileprivate var title: String {
        switch self {
        case .ofVideo(let kind, let name): name.isEmpty ? kind.rawValue : "\(kind.rawValue) \(name)"
        case .courseCover(let course): "the cover of \(Selector(course: course))"
        case .chapterCover(let course, let chapter): "the cover of \(Selector(course: course, chapter: chapter))"
        }
    }
}

extension SyncWarning.Pruning {
    fileprivate var message: String {
        switch self {
        case .held(let count, let all):
            """
            --prune would remove \(count) of \(all) downloads that are finished, have begun, or were paused or cancelled \
            by you, which is more than allowed; nothing was removed. If that is right, run it again with --max-delete \
            \(count)
            """
        case .unfinished(let count):
            """
            --prune removed nothing: \(count) downloads are no longer in the catalogs, but this run leaves others that \
            failed or aren't there yet, and what is gone may be all there is of them. It is removed once those are \
            finished, cancelled or out of the catalogs
            """
        case .notOurs(let path): "\(path) was not removed: it isn't the file that was put there"
        case .failed(let error): "--prune: \(error.sentence)"
        }
    }
}

extension SyncWarning.Placing {
    fileprivate var reason: String {
        switch self {
        case .flush: "its data didn't reach the disk"
        case .library(let error): error.sentence
        case .store: "the state can't be written"
        }
    }
}

extension SyncWarning.Stream {
    fileprivate var message: String {
        switch self {
        case .otherQuality:
            return "the stream has nothing of the quality that the catalog asks for: what comes nearest is taken"
        case .sumsOfJoined:
            return "the catalog's sha256 and size are of the joined stream: they are compared without ffmpeg only"
        case .gaps(let count, let subtitle):
            let what = subtitle.map { "the subtitle “\($0)”" } ?? "the stream"
            return "\(what) itself has \(count) gap\(count == 1 ? "" : "s"): its host marks these segments as missing"
        case .noSubtitle(let name, .tooMany):
            return "its subtitle “\(name)” was not fetched: the stream has too many of them"
        case .noSubtitle(let name, .failed(let error)):
            return "its subtitle “\(name)” was not fetched: \(error.message)"
        case .separateSound:
            return "its sound is a file of its own: there is no ffmpeg to put both into one"
        case .notRemuxed(let reason): return "\(reason); the joined stream is kept as it is"
        }
    }
}
