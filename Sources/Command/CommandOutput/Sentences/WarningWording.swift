import DownloadStore
package import Hooks
import MediaLibrary
package import SyncFacts
import YAMLSource

/// The sentences for warnings.
extension SyncWarning {
    /// One sentence without its full stop; warnings of a catalog's reader may have several lines.
    package var message: String {
        switch self {
        case .doubtful(let diagnostic): diagnostic.text
        case .listing(let listing): listing.message
        case .courses(let courses): courses.message
        case .courseMoved(let course, let file): "the course '\(course)' now belongs to \(file)"
        case .damagedState(let reference): "the state of \(Selector(reference)) was damaged; it starts over"
        case .loggedOut: "the user is logged out; this sync continues after a login"
        case .shardUnread(let refusal):
            "the files beside the videos stay as they are, since their facts aren't complete: \(refusal.message)"
        case .stateNotCopied(let refusal):
            "the copy of the shard's state in the library is out of date: \(refusal.message)"
        case .listNotKept(.library(let error)): "the library's list of files isn't complete: \(error.sentence)"
        case .listNotKept(let refusal): "can't write the library's list of files: \(refusal.message)"
        case .loginWanted(let provider, let error, let server):
            "provider '\(provider)' wants a login\(server.map { " at \($0)" } ?? ""): \(error.message)"
        case .clockOff(let host, let seconds):
            "the clock of \(host) is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's"
        case .prune(let pruning): pruning.message
        case .sidecarMissed(let sidecar, let error, _, _, let address):
            "\(sidecar.title) wasn't downloaded\(error.place(address)): \(error.message)"
        case .sidecarsUnknown(let error): "subtitles and attachments weren't downloaded: \(error.message)"
        case .notMoved(let path, let to, let error):
            "\(path) couldn't be moved to \(to): \(error.sentence). The next sync tries again"
        case .notPlaced(let path, let placing): "can't move the file to \(path): \(placing.reason)"
        case .stream(let stream): stream.message
        case .metadataForeign(let files): files.message
        case .notificationFailed(let course, let trouble): UnsentNotice(.news(course: course), trouble).message
        case .metadataFailed(let error): "not everything could be written beside the videos: \(error.sentence)"
        }
    }
}

extension UnsentNotice {
    /// One sentence without its full stop.
    package var message: String {
        switch problem {
        case .refused(let reason): "an \(hook) hook failed\(course)\(reason.map { ": \($0)" } ?? "")"
        case .hook(.timedOut): "an \(hook) hook took too long\(course) and was ended"
        case .hook(.signaled(let signal)): "an \(hook) hook was ended by signal \(signal)\(course)"
        case .hook(.notStarted): "an \(hook) hook can't be run"
        case .hook: "an \(hook) hook gave no answer that can be read\(course)"
        case .status(let status, let host): "\(what): \(host) answered \(status)"
        case .unreachable(let host, let why): "\(what) to \(host): \(why)"
        }
    }

    private var hook: String {
        switch topic {
        case .news: HookPoint.onNew.rawValue
        case .failure, .begin, .end: HookPoint.onFailure.rawValue
        }
    }

    private var course: String { if case .news(let course) = topic { " for \(course)" } else { "" } }

    private var what: String {
        switch topic {
        case .news(let course): "the notification about \(course) wasn't sent"
        case .failure: "the notification of the failure wasn't sent"
        case .begin: "the ping at the begin wasn't sent"
        case .end: "the ping at the end wasn't sent"
        }
    }
}

extension SyncWarning.Foreign {
    fileprivate var message: String {
        count == 1
            ? "\(example) isn't as coursefetch wrote it and stays as it is; delete it to have it written anew"
            : """
            \(count) files of \(course), such as \(example), aren't as coursefetch wrote them and stay as they are; \
            delete them to have them written anew
            """
    }
}

extension SyncWarning.Sidecar {
    /// `subtitle en`.
    fileprivate var title: String {
        switch self {
        case .ofVideo(let kind, let name): name.isEmpty ? kind.rawValue : "\(kind.rawValue) \(name)"
        case .courseCover(let course): "cover of \(Selector(course: course))"
        case .chapterCover(let course, let chapter): "cover of \(Selector(course: course, chapter: chapter))"
        }
    }
}

extension SyncWarning.Courses {
    fileprivate var message: String {
        switch self {
        case .failed(let provider, let error, let last):
            """
            provider '\(provider)' couldn't list its courses: \(error.message); \
            \(last == nil ? "there is no earlier list to use" : "its last list is used")
            """
        case .doubted(let provider, let lost, let count):
            """
            the list of provider '\(provider)' lacks \(Wording.grouped(lost)) of \(Wording.count(count, "course")); \
            the last one is used until one like it comes 20 hours later. To use it now, run the sync with \
            --accept-listing
            """
        case .unknown(let provider):
            "provider '\(provider)' was never asked for its courses, so none of them is known"
        case .repeated(let provider, let count):
            "the list of provider '\(provider)' has \(Wording.count(count, "course")) twice; the first one counts"
        case .undated(let provider, let count):
            """
            the list of provider '\(provider)' has no date for \(Wording.count(count, "course")); for 'newest' these \
            count as older than all others, and among them the one that is listed last as the newest
            """
        case .unusable(let provider, let count):
            """
            the list of provider '\(provider)' has \(Wording.count(count, "course")) with an empty id, one of more \
            than 1,024 bytes, or one with NUL; \(count == 1 ? "it is" : "they are") left out
            """
        case .taken(let provider, let courses):
            """
            the list of provider '\(provider)' has \(Wording.count(courses.count, "course")) with an id that another \
            course has (\(Self.names(courses))); \(courses.count == 1 ? "it is" : "they are") left out. A 'prefix' in \
            courses_of makes their ids differ
            """
        case .refused(let provider, let course, let mistake, let count):
            """
            the list of provider '\(provider)' has \(Wording.count(count, "course")) with parameters that it doesn't \
            take (\(Selector(course: course)): \(mistake)); \(count == 1 ? "it is" : "they are") left out
            """
        }
    }

    private static func names(_ courses: [String]) -> String {
        let first = courses.prefix(3).map { Selector(course: $0).description }.joined(separator: ", ")
        return courses.count > 3 ? "\(first), …" : first
    }
}

extension SyncWarning.Listing {
    fileprivate var message: String {
        switch self {
        case .failed(let provider, let error, let courses):
            """
            provider '\(provider)' couldn't list \(Self.names(courses)): \(error.message); \
            \(Self.consequence(courses))
            """
        case .doubted(let course, let lost, let count):
            """
            the listing of \(Selector(course: course)) lacks \(Wording.grouped(lost)) of \
            \(Wording.count(count, "video")); the last one is used until one like it comes 20 hours later. To use it \
            now, run the sync with --accept-listing
            """
        case .unanswered(let courses):
            """
            \(Wording.list(courses.map { Selector(course: $0).description })): not listed, since the provider was \
            logged out in the meantime
            """
        case .unknown(let courses):
            """
            \(Wording.list(courses.map { Selector(course: $0).description })): never listed, so none of the videos is \
            known
            """
        case .repeated(let course, let count):
            """
            the listing of \(Selector(course: course)) has \(Wording.count(count, "video")) twice; the first one \
            counts
            """
        case .undated(let course, let count):
            """
            the listing of \(Selector(course: course)) has no date for \(Wording.count(count, "video")); for 'newest' \
            these count as older than all others, and among them the one that is listed last as the newest
            """
        case .unusable(let course, let count):
            """
            the listing of \(Selector(course: course)) has \(Wording.count(count, "video")) with an empty id, one of \
            more than 1,024 bytes, or one with NUL; \(count == 1 ? "it is" : "they are") left out
            """
        case .refused(let course, let refused):
            "the listing of \(Selector(course: course)) \(refused.words)"
        }
    }

    private static func names(_ courses: [Unlisted]) -> String {
        let first = courses.prefix(3).map { Selector(course: $0.course).description }.joined(separator: ", ")
        return courses.count > 3 ? "\(first) and \(courses.count - 3) more courses" : first
    }

    private static func consequence(_ courses: [Unlisted]) -> String {
        let unknown = courses.filter { $0.last == nil }.count
        if unknown == courses.count { return "there is no earlier listing to use" }
        let last = courses.count == 1 ? "its last listing is used" : "their last listings are used"
        return unknown == 0 ? last : "\(last); \(unknown) of them have none"
    }
}

extension SyncWarning.Pruning {
    fileprivate var message: String {
        switch self {
        case .held(let count, let all):
            """
            --prune would remove \(count) of \(all) videos, more than --max-delete allows; nothing was removed. To \
            remove them, run it again with --max-delete \(count)
            """
        case .unfinished(let count):
            """
            --prune removed nothing: \(Wording.count(count, "video")) \(count == 1 ? "is" : "are") no longer in the \
            catalogs, but other videos failed or are unfinished. Once those are finished, cancelled or out of the \
            catalogs, --prune removes \(count == 1 ? "it" : "them")
            """
        case .notOurs(let path): "\(path) wasn't removed: it isn't the file that coursefetch put there"
        case .failed(let error): "--prune: \(error.sentence)"
        }
    }
}

extension SyncWarning.Placing {
    fileprivate var reason: String {
        switch self {
        case .flush: "its data can't be flushed to the disk"
        case .library(let error): error.sentence
        case .store: "the state can't be written"
        }
    }
}

extension SyncWarning.Stream {
    fileprivate var message: String {
        switch self {
        case .otherQuality:
            return "the stream doesn't have the quality in the catalog; the nearest one is downloaded"
        case .sumsOfJoined:
            return "sha256 and size in the catalog aren't checked: ffmpeg changes the joined stream"
        case .gaps(let count, let subtitle):
            let what = subtitle.map { "subtitle '\($0)'" } ?? "the stream"
            return "\(what) has \(Wording.count(count, "gap")): its host marks these segments as missing"
        case .noSubtitle(let name, .tooMany):
            return "subtitle '\(name)' wasn't downloaded: the stream has too many subtitles"
        case .noSubtitle(let name, .failed(let error)):
            return "subtitle '\(name)' wasn't downloaded: \(error.message)"
        case .separateSound:
            return "its sound is in a separate file, since there is no ffmpeg; the first sync with one joins them"
        case .missed(let count, let seconds):
            return """
                the recording has a gap after \(Wording.duration(seconds)): its host no longer had \
                \(Wording.count(Int(clamping: count), "segment"))
                """
        case .renumbered(let seconds):
            return "the live stream began anew: something may be missing after \(Wording.duration(seconds))"
        case .recordingEnded(let end): return "\(end.reason): the recording ends here"
        case .notRemuxed(let reason): return "\(reason); the joined stream stays as it is"
        case .notJoined(let reason, let again):
            return "\(reason); its files stay beside each other\(again ? ", and the next sync tries again" : "")"
        }
    }
}

extension SyncWarning.Stream.RecordingEnd {
    fileprivate var reason: String {
        switch self {
        case .stalled: "the stream hasn't grown for an hour, and has no end mark"
        case .gone: "the stream is gone, without an end mark"
        case .another: "another stream has taken its place"
        case .tooLarge: "the recording is as large as --max-size, or max_size in the catalog, allows"
        case .tooLong: "the recording has 100,000 segments"
        case .changed: "the catalog or the provider names something else now"
        case .unjoinable(let error): error.message
        case .notWanted: "the catalog doesn't say live: record any more"
        }
    }
}

extension DownloadError {
    /// Its address, unless the message already contains it.
    fileprivate func place(_ address: String?) -> String {
        address.map { message.contains($0) ? "" : " from \($0)" } ?? ""
    }
}

extension SyncWarning.RefusedHandOver {
    /// After "the listing …".
    var words: String {
        let count = Wording.count(count, "video")
        if let mistake {
            return "has \(count) for \(provider) with parameters that it doesn't take, left out: \(mistake)"
        }
        return """
            has \(count) that \(self.count == 1 ? "is" : "are") \(provider)'s, left out; to download from there too, \
            write under 'discover': hand_over: [\(provider)]
            """
    }
}
