package import ProviderKit
import YAMLSource

/// A resolution for a person to look at, as `coursefetch resolve` shows it.
package struct ResolutionSummary: Sendable, Equatable {
    /// One thing that the resolution says.
    package struct Line: Sendable, Equatable {
        /// What it is, in the words of the protocol.
        package var label: String
        /// What it says.
        package var value: String
    }

    /// What the resolution says, the URL first.
    package var lines: [Line] = []

    /// Sums `resolution` up. Unless `showsSecrets`, the token, headers that bear secrets, new credentials and what URLs
    /// hide are replaced.
    package init(_ resolution: Resolution, showsSecrets: Bool = false) {
        let shown = showsSecrets ? resolution : resolution.withoutSecrets
        add("url", shown.url)
        if shown.kind != .file { add("kind", shown.kind.rawValue) }
        if let token = shown.token {
            add("token", "\(token.placement.rawValue) \(token.name): \(token.prefix)\(token.value)")
            if !token.origins.isEmpty { add("token also for", token.origins.joined(separator: ", ")) }
        }
        if let date = shown.expiresAt { add("expires_at", Timestamp.text(date)) }
        for (name, value) in shown.headers.sorted(by: { $0.key < $1.key }) { add("header", "\(name): \(value)") }
        if let size = shown.size { add("size", "\(size)") }
        if let hash = shown.sha256 { add("sha256", hash) }
        if let name = shown.fileExtension { add("extension", name) }
        if let type = shown.mediaType { add("media_type", type) }
        if let seconds = shown.duration { add("duration", "\(seconds) s") }
        if shown.singleUse { add("single_use", "yes") }
        if shown.extendable { add("extendable", "yes") }
        for subtitle in shown.subtitles { add("subtitle", "\(subtitle.lang) \(subtitle.url)") }
        for attachment in shown.attachments { add("attachment", "\(attachment.title) \(attachment.url)") }
        if let cover = shown.cover { add("cover", cover) }
        if shown.credentials != nil { add("credentials", "new ones") }
    }

    private mutating func add(_ label: String, _ value: String) {
        lines.append(Line(label: label, value: PrintableText.safe(value)))
    }
}

extension Resolution {
    /// This resolution with everything replaced that may be a secret, so that it can be shown or encoded.
    package var withoutSecrets: Resolution {
        var shown = self
        shown.url = Redactor.withoutURLSecrets(url)
        shown.token?.value = "<redacted>"
        shown.headers = Dictionary(
            headers.map { name, value in
                (name, Redactor.bearsSecret(name) ? "<redacted>" : Redactor.withoutURLSecrets(value))
            }, uniquingKeysWith: { first, _ in first })
        shown.subtitles = subtitles.map { Subtitle(lang: $0.lang, url: Redactor.withoutURLSecrets($0.url)) }
        shown.attachments = attachments.map { Attachment(title: $0.title, url: Redactor.withoutURLSecrets($0.url)) }
        shown.cover = cover.map(Redactor.withoutURLSecrets)
        if credentials != nil { shown.credentials = Secret("<redacted>") }
        return shown
    }
}
