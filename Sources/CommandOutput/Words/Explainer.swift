import DownloadStore
import Foundation
import SyncFacts

/// Turns facts about failed downloads into text: the only place where that happens.
struct Explainer: Sendable {
    /// The catalogs of the run, to name one in a command.
    var catalogs: [String]
    /// The user's name where a command has to give it.
    var user: String?

    init(catalogs: [String], user: String? = nil) {
        self.catalogs = catalogs
        self.user = user
    }

    /// What to tell about a download that failed.
    ///
    /// `retryAt` nil means that no run tries again by itself. `file` is the catalog that the video stands in, `provider` the
    /// name of its provider, if known.
    func failure(
        of reference: VideoReference, _ error: DownloadError, retryAt: Date?, file: String? = nil,
        provider: String? = nil, now: Date, zone: TimeZone
    ) -> Explanation {
        // In quotes where it holds a star: not every shell leaves one alone that matches no file.
        let selector = ShellWord.quoted(Selector(reference).description)
        var (remedy, command) = self.remedy(for: error.kind, selector: selector, file: file, provider: provider)
        if let retryAt {
            let again =
                retryAt <= now ? "the next sync" : "a sync after \(ClockText.local(retryAt, now: now, zone: zone))"
            let isMended = Self.mayMendItself(error.kind)
            remedy = "\(again) tries again" + (isMended ? "" : "; \(remedy)")
            if isMended { command = nil }
        }
        var problem = "\(reference.title): \(reason(error))"
        // What can be pasted names it already.
        if reference.title != reference.video, command?.contains(selector) != true { problem += " [\(selector)]" }
        return Explanation(problem: problem, remedy: remedy, command: command)
    }

    /// The reason in a few words: the runner's own sentence, without its full stop, else what the kind stands for.
    func reason(_ error: DownloadError) -> String {
        var text = error.message
        while text.last == "." { text.removeLast() }
        if text.isEmpty { text = Self.meaning(error.kind) }
        if let status = error.status, !text.contains(String(status)) { text += " (HTTP \(status))" }
        return text
    }

    /// What a kind of error means, for one that came without a message.
    static func meaning(_ kind: DownloadError.Kind) -> String {
        switch kind {
        case .authRequired: "the provider wants a login"
        case .forbidden: "the provider doesn't allow it"
        case .geoBlocked: "the host doesn't serve this country"
        case .notFound: "the provider doesn't know this video"
        case .gone: "the host has taken it down"
        case .drm: "it is encrypted for a player, not for downloading"
        case .notReady: "it isn't there yet"
        case .rateLimited: "the host asks for fewer requests"
        case .unavailable: "the provider can't be reached"
        case .invalidParameters: "the provider refuses its parameters"
        case .httpStatus: "the host answered with an error"
        case .urlRefused: "the host refuses every fresh URL"
        case .network: "the connection failed"
        case .tls: "the host's certificate can't be trusted"
        case .stalled: "nothing more arrived"
        case .truncated: "the host ends the file too early"
        case .tooLong: "the host sends more than it promised"
        case .sizeMismatch: "the file has another size than the catalog says"
        case .checksumMismatch: "the file has another checksum than the catalog says"
        case .notMedia: "the host sent a page where a video should be"
        case .identityChanged: "the host keeps changing the file while it is fetched"
        case .providerFailed: "the provider plugin failed"
        case .rejectedByHook: "one of your own hooks decided so"
        case .needsFFmpeg: "only ffmpeg can make one file of it, and there is none that did"
        case .disk: "it can't be written"
        case .bug: "a bug in coursefetch"
        }
    }

    /// Whether time may mend it, so that there is nothing for the person to do.
    private static func mayMendItself(_ kind: DownloadError.Kind) -> Bool {
        switch kind {
        case .notReady, .rateLimited, .unavailable, .network, .stalled, .truncated, .httpStatus: true
        default: false
        }
    }

    /// What to do about a failure, and the command that helps with it.
    private func remedy(
        for kind: DownloadError.Kind, selector: String, file: String?, provider: String?
    ) -> (text: String, command: String?) {
        let whose = Self.option(user: user)
        let look = "coursefetch resolve \(catalog(file)) \(selector)\(whose)"
        return switch kind {
        case .authRequired:
            provider.map { ("log in at its provider", Self.login(at: $0, user: user)) }
                ?? ("log in at its provider; what it answers", look)
        case .forbidden, .geoBlocked: ("ask the host for access; what the provider answers", look)
        case .notFound, .gone: ("correct it in the catalog or take it out; what the provider answers", look)
        case .drm: ("take it out of the catalog: no downloader can fetch it", nil)
        case .notReady, .rateLimited, .unavailable, .network, .stalled, .truncated: ("the next sync tries again", nil)
        case .invalidParameters: ("correct its parameters", "coursefetch check \(catalog(file))")
        case .httpStatus, .urlRefused, .notMedia: ("see what the provider answers", look)
        case .tls:
            ("check this machine's clock and certificates; an authority of your own goes into --ca-file FILE", nil)
        case .tooLong, .sizeMismatch, .checksumMismatch:
            ("compare size and sha256 in the catalog with what the provider answers", look)
        case .identityChanged: ("tell the host's keeper; what the provider answers", look)
        case .providerFailed: ("see whether the plugin is whole", "coursefetch plugins list")
        case .rejectedByHook: ("coursefetch sync --verbose shows what hooks write", nil)
        case .needsFFmpeg: ("install ffmpeg, or use --container package, then sync again", nil)
        case .disk: ("make room or mend the permissions, then sync again", nil)
        case .bug:
            ("please report it with what this says", "coursefetch sync -v \(catalog(file)) --only \(selector)\(whose)")
        }
    }

    /// The command that logs in at a provider, for a user if one is named.
    static func login(at provider: String, user: String?) -> String {
        "coursefetch login --provider \(ShellWord.quoted(provider))\(option(user: user))"
    }

    /// What a command needs behind it to be for a user; empty if none is named.
    static func option(user: String?) -> String { user.map { " --user \(ShellWord.quoted($0))" } ?? "" }

    private func catalog(_ file: String?) -> String {
        if let file { return ShellWord.quoted(file) }
        return catalogs.count == 1 ? ShellWord.quoted(catalogs[0]) : "CATALOG"
    }
}
