import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the site's player gets to know of a session.
struct PanoptoDelivery: Sendable {
    /// A picture, or sound, on the server of the media.
    struct View: Sendable, PrintsRedacted {
        var role: String
        var address: WebAddress
        var kind: Resolution.Kind
    }

    /// The roles whose media has sound if any has sound of its own, the first one before the others.
    private static let roles = ["combined", "presenter"]
    /// The beginning of 1970: sessions count the seconds from 1601 on.
    private static let epoch = 11_644_473_600.0
    /// The tags of the languages' numbers.
    ///
    /// Related: yt_dlp/extractor/panopto.py of yt-dlp, which has them from Panopto's core.js
    private static let languages = [
        "en-US", "en-GB", "es-MX", "es-ES", "de-DE", "fr-FR", "nl-NL", "th-TH", "zh-CN", "zh-TW", "ko-KR", "ja-JP",
        "ru-RU", "pt-PT", "pl-PL", "en-AU", "da-DK", "fi-FI", "hu-HU", "nb-NO", "sv-SE", "it-IT",
    ]

    /// The language with a number, as a tag.
    static func language(_ number: Int64) -> String? {
        languages.indices.contains(Int(number)) ? languages[Int(number)] : nil
    }

    let title: String?
    /// In seconds.
    let duration: Double?
    /// When the recording ended; nil if it isn't told.
    private let end: Date?
    /// The one that is the video's own file is first.
    var views: [View]
    let isLive: Bool
    /// Whether the pictures are still in the making.
    private let isUnfinished: Bool
    /// The numbers of the languages of captions; none if there are captions of which no language is told.
    let captions: [Int64]
    let hasCaptions: Bool

    init?(_ answer: JSONValue, at site: WebAddress) {
        guard let delivery = answer["Delivery"], delivery.object != nil else { return nil }
        title = PanoptoFolder.plain(delivery["SessionName"])
        duration = PanoptoFolder.duration(delivery["Duration"])
        end = delivery["SessionStartTime"]?.number.flatMap { [duration] begins in
            Date(seconds: .double(begins - Self.epoch + (duration ?? 0)))
        }
        isLive = delivery["IsActiveBroadcast"] == .bool(true)
        isUnfinished = delivery["IsViewerEncodeComplete"] == .bool(false)
        captions = (delivery["AvailableLanguages"]?.list ?? []).compactMap(\.wholeNumber)
        hasCaptions = delivery["HasCaptions"] == .bool(true)
        var views: [View] = []
        for (stream, isCombined) in (delivery["PodcastStreams"]?.list ?? []).map({ ($0, true) })
            + (delivery["Streams"]?.list ?? []).map({ ($0, false) })
        {
            // The sound alone may have no address.
            let text = PanoptoFolder.text(stream["StreamUrl"]) ?? PanoptoFolder.text(stream["StreamHttpUrl"])
            guard let address = text.flatMap(site.resolving) else { continue }
            let role = isCombined ? "combined" : Self.role(stream["Tag"]?.string)
            let isPlaylist =
                stream["ViewerMediaFileTypeName"]?.string == "hls" || address.path.lowercased().hasSuffix(".m3u8")
            views.append(
                View(
                    role: Self.unused(role, in: views), address: address, kind: isPlaylist ? .hls : .file))
        }
        self.views = views.enumerated().sorted { one, other in
            (Self.rank(one.element.role), one.offset) < (Self.rank(other.element.role), other.offset)
        }.map(\.element)
    }

    /// Adds the file in which the pictures are together.
    mutating func add(combined file: WebAddress) {
        views.insert(View(role: Self.roles[0], address: file, kind: .file), at: 0)
    }

    /// Whether pictures are to come that are worth waiting for: for a day after the recording if there is one of all
    /// of them, since what is downloaded doesn't get others later.
    func isAwaited(at now: Date) -> Bool {
        isUnfinished && (!hasCombined || end.map { now.timeIntervalSince($0) < 86_400 } ?? false)
    }

    var hasCombined: Bool { views.contains { $0.role == Self.roles[0] } }

    /// The sound in a file of its own, without which a picture in a file is silent.
    func sound(of view: View) -> WebAddress? {
        guard view.kind == .file, view.role != "audio", !Self.roles.contains(view.role) else { return nil }
        return views.first { $0.role == "audio" && $0.kind == .file }?.address
    }

    private static func role(_ tag: String?) -> String {
        switch tag?.uppercased() {
        case "DV": "presenter"
        case "OBJECT": "presentation"
        case "SCREEN": "screen"
        case "AUDIO": "audio"
        case let tag?: tag.wholeMatch(of: /[A-Z][A-Z0-9_-]{0,30}/) == nil ? "other" : tag.lowercased()
        case nil: "other"
        }
    }

    /// A recording may have several streams of a kind.
    private static func unused(_ role: String, in views: [View]) -> String {
        let used = Set(views.map(\.role))
        guard used.contains(role) else { return role }
        var number = 2
        while used.contains("\(role)-\(number)") { number += 1 }
        return "\(role)-\(number)"
    }

    /// Sound without a picture is nobody's first choice.
    private static func rank(_ role: String) -> Int {
        roles.firstIndex(of: role) ?? (role == "audio" ? roles.count + 1 : roles.count)
    }
}

extension PanoptoSite {
    /// The most of all captions of a video: they go into one line.
    private static let captionBound = 400 << 10

    /// What the player gets to know.
    func delivery(_ id: String) async throws(ProviderError) -> Visit<PanoptoDelivery> {
        let page = place("Pages/Viewer/DeliveryInfo.aspx").adding(query: [("deliveryId", id), ("responseType", "json")])
        return try await visit(page) { response throws(ProviderError) in
            // What isn't there, and what one may not see, are told apart by nothing.
            let answer = try PanoptoErrors.checked(response, otherwise: .notFound)
            guard let delivery = PanoptoDelivery(answer, at: address) else { throw unknownAnswer }
            return delivery
        }
    }

    /// The captions in each language that has any.
    func subtitles(
        of id: String, _ visit: Visit<PanoptoDelivery>
    ) async throws(ProviderError) -> [Resolution.Subtitle] {
        let delivery = visit.answer
        guard delivery.hasCaptions || !delivery.captions.isEmpty else { return [] }
        var (found, size): ([Resolution.Subtitle], Int) = ([], 0)
        for number in delivery.captions.isEmpty ? [nil] : delivery.captions.map(Optional.some) {
            let tag = number.flatMap(PanoptoDelivery.language) ?? "und"
            guard !found.contains(where: { $0.lang == tag }),
                let text = try await captions(of: id, number, cookie: visit.cookie)
            else { continue }
            size += text.utf8.count
            guard size <= Self.captionBound else {
                HostLog.write(.warning, "left out captions of a video: they have more than 400 KiB")
                return found
            }
            found.append(.init(lang: tag, text: text))
        }
        return found
    }

    /// SubRip in a language, or in the first one; nil without any, or if the site doesn't give them away. Captions that
    /// are lost because of any other error would never come.
    private func captions(
        of id: String, _ language: Int64?, cookie: String?
    ) async throws(ProviderError) -> String? {
        let page = place("Pages/Transcription/GenerateSRT.ashx").adding(
            query: [("id", id)] + (language.map { [("language", "\($0)")] } ?? []))
        do throws(ProviderError) {
            let response = try await get(page, cookie: cookie)
            // A page to log in at comes with the status 200.
            if response.isHTML { _ = try response.json() }
            return Self.captions(String(decoding: response.body, as: UTF8.self))
        } catch {
            guard [.notFound, .forbidden].contains(error.kind) else { throw error }
            HostLog.write(.debug, "can't read the captions of a video: \(error.message)")
            return nil
        }
    }

    /// Without the mark at the beginning, and the line that says that a machine has heard them.
    private static func captions(_ text: String) -> String? {
        let lines = text.replacing("\u{FEFF}", with: "")
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("[Auto-generated transcript") }
        guard lines.contains(where: { $0.contains("-->") }) else { return nil }
        return lines.joined(separator: "\n")
    }
}
