package import CourseCatalog
import DownloadStore
import MediaLibrary
package import ProviderKit

/// A video's sidecars, from the catalog and from its resolution.
package enum SidecarPlan {
    /// The sidecars that the catalog names for a video.
    package static func wantedSidecars(of wanted: WantedDownload) -> [WantedSidecar] {
        let video = wanted.video
        var plan = Builder(wanted: wanted)
        if let cover = video.ownCover { plan.cover(cover.sidecarSource) }
        for subtitle in video.subtitleFiles { plan.subtitle(subtitle.language, .url(subtitle.url)) }
        for attachment in video.attachments { plan.attachment(attachment.title, .url(attachment.url)) }
        return plan.wantedSidecars
    }

    /// Further ones from the resolution: a cover if the catalog has none, the subtitles that the catalog asks for, and
    /// attachments.
    package static func wantedSidecars(of wanted: WantedDownload, resolved resolution: Resolution) -> [WantedSidecar] {
        var plan = Builder(wanted: wanted)
        // Numbers and titles continue those of the catalog.
        for subtitle in wanted.video.subtitleFiles { plan.subtitle(subtitle.language, .url(subtitle.url)) }
        for attachment in wanted.video.attachments { plan.attachment(attachment.title, .url(attachment.url)) }
        let own = plan.wantedSidecars.count
        plan.isResolved = true
        if wanted.video.ownCover == nil, let cover = resolution.cover { plan.cover(.url(cover)) }
        for subtitle in resolution.subtitles where wanted.video.settings.subtitles.wants(subtitle.lang) {
            plan.subtitle(subtitle.lang, subtitle.text.map { .text($0) } ?? .url(subtitle.url))
        }
        for attachment in resolution.attachments { plan.attachment(attachment.title, .url(attachment.url)) }
        return Array(plan.wantedSidecars.dropFirst(own))
    }

    /// Subtitles named by the media itself, beside those of catalog and resolution.
    package static func wantedSidecars(
        of wanted: WantedDownload, named subtitles: [(language: String?, url: String)], beside resolution: Resolution
    ) -> [WantedSidecar] {
        var plan = Builder(wanted: wanted)
        for subtitle in wanted.video.subtitleFiles { plan.subtitle(subtitle.language, .url(subtitle.url)) }
        for subtitle in resolution.subtitles where wanted.video.settings.subtitles.wants(subtitle.lang) {
            plan.subtitle(subtitle.lang, subtitle.text.map { .text($0) } ?? .url(subtitle.url))
        }
        let others = plan.wantedSidecars.count
        for subtitle in subtitles { plan.subtitle(subtitle.language ?? "und", .url(subtitle.url)) }
        return Array(plan.wantedSidecars.dropFirst(others))
    }

    private struct Builder {
        let wanted: WantedDownload
        let folder: String
        let stem: String
        var wantedSidecars: [WantedSidecar] = []
        /// Whether a resolution names those that are added from now on.
        var isResolved = false
        private var languages: [String: Int] = [:]
        private var titles: [String: Int] = [:]

        init(wanted: WantedDownload) {
            self.wanted = wanted
            (folder, stem) = LibraryPathParts.split(wanted.stem)
        }

        mutating func cover(_ source: WantedSidecar.Source) {
            add(.cover, name: "", source, fileName: stem, purpose: .cover)
        }

        mutating func subtitle(_ language: String, _ source: WantedSidecar.Source) {
            let ordinal = languages[language, default: 0] + 1
            languages[language] = ordinal
            let fileName = LibraryName.subtitle(beside: stem, language: language, ordinal: ordinal)
            add(
                .subtitle, name: ordinal == 1 ? language : "\(language) \(ordinal)", source, fileName: fileName,
                purpose: nil)
        }

        mutating func attachment(_ title: String, _ source: WantedSidecar.Source) {
            let ordinal = titles[title, default: 0] + 1
            titles[title] = ordinal
            let name = ordinal == 1 ? title : "\(title) \(ordinal)"
            add(
                .attachment, name: name, source, fileName: LibraryName.attachment(beside: stem, title: name),
                purpose: .attachment)
        }

        private mutating func add(
            _ kind: SidecarRecord.Kind, name: String, _ source: WantedSidecar.Source, fileName: String,
            purpose: FileExtension.Purpose?
        ) {
            var sidecar = WantedSidecar(
                owner: .video(wanted.id, kind, name: name), source: source, isResolved: isResolved,
                folder: folder, name: fileName, purpose: purpose,
                listed: wanted.video.isListed ? wanted.listingSource : nil, video: wanted.reference)
            sidecar.maxSize = wanted.video.settings.maxSize
            wantedSidecars.append(sidecar)
        }
    }
}

extension SubtitleSelection {
    /// Whether a subtitle of this language is wanted: `en` includes `en-GB`.
    func wants(_ language: String) -> Bool {
        switch self {
        case .none: false
        case .all: true
        case .languages(let languages):
            languages.contains { wanted in
                let (offered, wanted) = (language.lowercased(), wanted.lowercased())
                return offered == wanted || offered.hasPrefix(wanted + "-")
            }
        }
    }
}

extension CoverSource {
    package var sidecarSource: WantedSidecar.Source {
        switch self {
        case .url(let url): .url(url)
        case .file(let path, let folder): .file(LocalCover(folder: folder, path: path))
        }
    }
}
