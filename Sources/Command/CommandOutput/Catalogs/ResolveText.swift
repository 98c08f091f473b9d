package import DownloadStore
package import Foundation
package import Operations
package import SyncFacts
import Terminal

/// The output of `resolve`: a provider's answer. Secrets are shown only on request.
package struct ResolveText {
    var showsSecrets: Bool
    var now: Date
    var zone: TimeZone

    package init(showsSecrets: Bool, now: Date, zone: TimeZone) {
        self.showsSecrets = showsSecrets
        self.now = now
        self.zone = zone
    }

    package func lines(_ answer: ResolveAnswer) -> [String] {
        let answer = showsSecrets ? answer : answer.withoutSecrets
        var lines = ["\(Selector(answer.reference))  \(answer.reference.title)"]
        func add(_ name: String, _ value: String?) {
            if let value, !value.isEmpty { lines.append("  \(TerminalFormat.fit(name, to: 12)) \(value)") }
        }
        add("provider", "\(answer.provider), answered in \(Int((answer.seconds * 1000).rounded())) ms")
        add("kind", answer.kind)
        add("url", answer.url)
        if let token = answer.tokenValue {
            let origins = answer.tokenOrigins.isEmpty ? "" : ", also for \(Wording.list(answer.tokenOrigins))"
            add("token", "\(token) in \(answer.tokenPlace ?? "header")\(origins)")
        }
        for token in answer.tokens {
            let scopes = token.scopes.isEmpty ? "" : ", for \(Wording.list(token.scopes))"
            add("token", "\(token.value) in \(token.place)\(scopes)")
        }
        for header in answer.headers { add("header", "\(header.name): \(header.value)") }
        if let expiresAt = answer.expiresAt {
            let left = expiresAt.timeIntervalSince(now)
            let when = left > 0 ? "in \(Wording.duration(left))" : "expired"
            add("expires", "\(expiresAt.rfc3339), \(when)")
        }
        add("size", answer.size.map { "\(Wording.size($0)) (\($0) bytes)" })
        add("sha256", answer.sha256)
        add("checksums", Wording.list(answer.checksums))
        add("title", answer.title)
        add("media type", answer.mediaType)
        add("extension", answer.fileExtension)
        add("duration", answer.duration.map { Wording.duration($0) })
        for track in answer.tracks { add("track", "\(track.name) \(track.url)") }
        add("role", answer.role)
        for stream in answer.streams { add("stream", "\(stream.role) \(stream.url)") }
        if answer.singleUse { add("single use", "yes: each request needs a new URL") }
        if answer.extendable { add("extendable", "yes: the host extends its token") }
        add("subtitles", Wording.list(answer.subtitles))
        add("attachments", Wording.list(answer.attachments))
        return lines.map(TerminalFormat.printable)
    }

    package func json(_ answer: ResolveAnswer) -> [UInt8] {
        let answer = showsSecrets ? answer : answer.withoutSecrets
        var line = JSONLine()
        JSONEvents.whole(&line, answer.reference)
        line.field("provider", answer.provider)
        line.field("url", answer.url)
        line.field("kind", answer.kind)
        if let token = answer.tokenValue {
            line.object("token") { line in
                line.field("value", token)
                line.field("place", answer.tokenPlace)
                line.field("origins", answer.tokenOrigins)
            }
        }
        if !answer.tokens.isEmpty {
            line.objects("tokens", answer.tokens) { line, token in
                line.field("value", token.value)
                line.field("place", token.place)
                line.field("scopes", token.scopes)
            }
        }
        line.objects("headers", answer.headers) { line, header in
            line.field("name", header.name)
            line.field("value", header.value)
        }
        line.field("expires_at", answer.expiresAt)
        line.field("size", answer.size)
        line.field("sha256", answer.sha256)
        if !answer.checksums.isEmpty { line.field("checksums", answer.checksums) }
        if let title = answer.title { line.field("title_given", title) }
        line.field("media_type", answer.mediaType)
        line.field("extension", answer.fileExtension)
        line.field("single_use", answer.singleUse)
        line.field("extendable", answer.extendable)
        if !answer.tracks.isEmpty {
            line.objects("tracks", answer.tracks) { line, track in
                line.field("name", track.name)
                line.field("url", track.url)
            }
        }
        if let role = answer.role { line.field("role", role) }
        if !answer.streams.isEmpty {
            line.objects("streams", answer.streams) { line, stream in
                line.field("role", stream.role)
                line.field("url", stream.url)
            }
        }
        line.field("subtitles", answer.subtitles)
        line.field("attachments", answer.attachments)
        line.field("seconds", seconds: answer.seconds)
        return line.finished()
    }
}

extension ResolveText {
    /// The line for a provider without an answer. `user` is the given name, if any.
    package static func failure(
        _ reference: VideoReference, _ error: DownloadError, provider: String
    ) -> String {
        var text = "error: \(Selector(reference)): \(Explainer(catalogs: []).reason(error))"
        if error.kind == .authRequired { text += "; log in with: \(Explainer.login(at: provider))" }
        return TerminalFormat.printable(text)
    }

    /// The reason why a provider couldn't be asked for a course.
    package static func reason(_ error: DownloadError) -> String {
        TerminalFormat.printable(Explainer(catalogs: []).reason(error))
    }

    /// The condition for the exit code.
    package static func condition(_ error: DownloadError) -> SyncCondition {
        switch error.kind {
        case .authRequired: .loginNeeded
        case .providerFailed: .providerBroken
        case .bug: .bug
        case .notReady, .rateLimited, .unavailable: .workLeft
        default: .downloadsFailed
        }
    }
}
