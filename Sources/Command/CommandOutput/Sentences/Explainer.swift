package import DownloadStore
package import Foundation
package import SyncFacts

/// Turns facts about failed downloads into text: the only place that does.
package struct Explainer: Sendable {
    /// The catalogs of the run, to name one in a command.
    package var catalogs: [String]

    package init(catalogs: [String]) { self.catalogs = catalogs }

    /// The explanation of a failed download.
    ///
    /// `retryAt` nil means that no run tries again by itself. `file` is the catalog that names the video, `provider`
    /// the name of its provider, if known. `count` is the number of videos that failed for the same reason, which this
    /// one stands for: `30 videos: plugin bad doesn't work: …`.
    package func failure(
        of reference: VideoReference, _ error: DownloadError, retryAt: Date?, file: String? = nil,
        provider: String? = nil, count: Int = 1, now: Date, zone: TimeZone
    ) -> Explanation {
        let selector = ShellWord.quoted(Selector(reference).description)
        let what = next(
            for: error.kind, selector: selector, retryAt: retryAt, file: file, provider: provider, now: now, zone: zone)
        let name = count > 1 ? Wording.count(count, "video") : Self.name(reference)
        return Explanation(problem: "\(name): \(reason(error))", remedy: what.text, command: what.command)
    }

    /// `phys101/kinematics/k2b  Acceleration`, ready to be pasted; without a title that is only the id.
    package static func name(_ reference: VideoReference) -> String {
        // Quoted if it contains a star: not every shell keeps a pattern that matches no file.
        let selector = ShellWord.quoted(Selector(reference).description)
        return reference.title == reference.video ? selector : "\(selector)  \(reference.title)"
    }

    /// The next step, of the program or the user.
    private func next(
        for kind: DownloadError.Kind, selector: String, retryAt: Date?, file: String?, provider: String?,
        now: Date,
        zone: TimeZone
    ) -> (text: String, command: String?) {
        guard let retryAt else { return remedy(for: kind, selector: selector, file: file, provider: provider) }
        let isDue = retryAt <= now
        let again =
            isDue
            ? "the next sync will try again" : "next try after \(ClockFormat.local(retryAt, now: now, zone: zone))"
        if Self.needsPerson(kind) {
            let (text, command) = remedy(for: kind, selector: selector, file: file, provider: provider)
            return ("\(again); \(text)", command)
        }
        return isDue ? (again, nil) : ("\(again), or now", SuggestedCommand.text("retry --failed --now"))
    }

    /// The reason in a few words: the runner's own sentence, without its full stop, else the meaning of the kind.
    package func reason(_ error: DownloadError) -> String {
        var text = error.message
        while text.last == "." { text.removeLast() }
        if text.isEmpty { text = Self.meaning(error.kind) }
        if let status = error.status, !text.contains(String(status)) { text += " (HTTP \(status))" }
        return text
    }

    /// The meaning of a kind of error without a message.
    package static func meaning(_ kind: DownloadError.Kind) -> String {
        switch kind {
        case .authRequired: "the provider wants a login"
        case .forbidden: "the provider denies access"
        case .geoBlocked: "not available in this country"
        case .notFound: "the provider doesn't know this video"
        case .gone: "the video was deleted"
        case .drm: "the video is DRM-protected"
        case .notReady: "not available yet"
        case .rateLimited: "too many requests"
        case .unavailable: "the provider isn't available"
        case .invalidParameters: "the provider rejects its parameters"
        case .httpStatus: "the server answered with an error"
        case .urlRefused: "the server refuses the URL"
        case .network: "the connection failed"
        case .tls: "the server's certificate can't be verified"
        case .stalled: "the server stopped sending"
        case .truncated: "the file ends too early"
        case .tooLong: "the server sends more bytes than it announced"
        case .tooLarge: "the file is larger than allowed"
        case .sizeMismatch: "the file doesn't have the size in the catalog"
        case .checksumMismatch: "the file doesn't have the checksum in the catalog"
        case .notMedia: "the server sent a web page instead of a video"
        case .identityChanged: "the file on the server keeps changing"
        case .providerFailed: "the provider plugin failed"
        case .rejectedByHook: "one of your hooks rejected it"
        case .needsFFmpeg: "only ffmpeg can join the parts of this stream"
        case .disk: "it can't be written"
        case .bug: "a bug in coursefetch"
        }
    }

    /// Whether a retry helps only after an action of the user.
    private static func needsPerson(_ kind: DownloadError.Kind) -> Bool {
        switch kind {
        case .authRequired, .forbidden, .geoBlocked, .drm, .invalidParameters, .tls, .tooLong, .tooLarge, .sizeMismatch,
            .checksumMismatch, .identityChanged, .providerFailed, .needsFFmpeg, .disk, .bug, .rejectedByHook:
            true
        case .notFound, .gone, .notReady, .rateLimited, .unavailable, .httpStatus, .urlRefused, .network, .stalled,
            .truncated, .notMedia:
            false
        }
    }

    /// The remedy of a failure, with its command.
    private func remedy(
        for kind: DownloadError.Kind, selector: String, file: String?, provider: String?
    ) -> (text: String, command: String?) {
        let look = SuggestedCommand.text("resolve \(catalog(file)) \(selector)")
        return switch kind {
        case .authRequired:
            provider.map { ("log in", Self.login(at: $0)) }
                ?? ("log in at its provider; to see the provider's answer", look)
        case .forbidden, .geoBlocked: ("ask the site for access; to see the provider's answer", look)
        case .notFound, .gone: ("correct or remove it in the catalog; to see the provider's answer", look)
        case .drm: ("remove it from the catalog: coursefetch can't download DRM-protected videos", nil)
        case .notReady, .rateLimited, .unavailable, .network, .stalled, .truncated:
            ("the next sync will try again", nil)
        case .invalidParameters: ("correct its parameters, then run", SuggestedCommand.text("check \(catalog(file))"))
        case .httpStatus, .urlRefused, .notMedia: ("to see the provider's answer", look)
        case .tls:
            ("check this computer's clock and certificates, or add an authority of your own with --ca-file FILE", nil)
        case .tooLarge: ("allow larger files with --max-size, or with max_size in the catalog", nil)
        case .tooLong, .sizeMismatch, .checksumMismatch:
            ("compare size and checksums in the catalog with the provider's answer", look)
        case .identityChanged: ("report it to the site; to see the provider's answer", look)
        case .providerFailed: ("check the plugin", SuggestedCommand.text("plugins check FOLDER"))
        case .rejectedByHook: ("to see the output of hooks: \(SuggestedCommand.text("sync --verbose"))", nil)
        case .needsFFmpeg: ("install ffmpeg, or use --container package, then sync again", nil)
        case .disk: ("make room or fix the permissions, then sync again", nil)
        case .bug:
            (
                "please report it with the output of",
                SuggestedCommand.text("sync -v \(catalog(file)) --only \(selector)")
            )
        }
    }

    /// The command that logs in at a provider, or at one of its servers.
    ///
    /// - Parameter parameter: the one that takes the server; nil for a login at the provider as a whole.
    package static func login(at provider: String, server: String? = nil, as parameter: String? = nil) -> String {
        var set = ""
        if let server, let parameter { set = " --set \(ShellWord.quoted("\(parameter)=\(server)"))" }
        return SuggestedCommand.text("login --provider \(ShellWord.quoted(provider))\(set)")
    }

    private func catalog(_ file: String?) -> String {
        if let file { return ShellWord.quoted(file) }
        return catalogs.count == 1 ? ShellWord.quoted(catalogs[0]) : "CATALOG"
    }
}
