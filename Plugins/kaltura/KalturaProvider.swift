import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses that are categories (channels) or playlists of a Kaltura account.
struct KalturaProvider: Provider {
    private let pages = ListingPages()
    private let sessions = KalturaSessions()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let lists = KalturaLists(
            api: try KalturaAPI(parameters, request.credentials, request.settings, sessions: sessions))
        let (category, playlist) = (parameters["category"]?.wholeNumber, parameters["playlist"]?.string)
        guard (category == nil) != (playlist == nil) else {
            throw ProviderError(
                .invalidParameters, "say either category or playlist",
                parameter: category == nil ? "category" : "playlist")
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            if let playlist { return .whole(try await lists.playlist(playlist), validator: nil) }
            return .whole(try await lists.category(category ?? 0), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let api = try KalturaAPI(
            request.video.parameters, request.credentials, request.settings, sessions: sessions)
        let id = request.video.id
        guard Self.isID(id) else {
            throw ProviderError(.notFound, "this can't be the id of an entry in Kaltura")
        }
        let answers = try await api.answers(Self.actions(id))
        guard let main = try api.entries(answers[0]["objects"]?.array).first else {
            throw api.error("ENTRY_ID_NOT_FOUND")
        }
        if let hindrance = main.hindrance(at: api.server.host, now: request.now) { throw hindrance }
        let context = answers[1]
        try Self.checkAccess(context, at: api)
        let media = KalturaMedia(sources: context["sources"]?.list ?? [], host: api.server.host)
        let choice = try media.choice(answers[2].list, of: main.id, request.quality)
        var resolution = Resolution(
            url: choice.address.text, kind: choice.kind, size: choice.size, fileExtension: choice.fileExtension,
            duration: main.duration, cover: main.thumbnail, title: main.name)
        resolution.subtitles = Self.subtitles(answers[3], at: api)
        resolution.streams = try await Self.streams(try api.entries(answers[4]["objects"]?.array), request, at: api)
        if !resolution.streams.isEmpty { resolution.role = "primary" }
        if let session = try await api.mediaSession(isRefused: request.previous?.reason == .rejected) {
            var origins = [api.server.origin]
            // A session that came over TLS doesn't go out without it.
            if choice.address.origin != origins[0], choice.address.scheme == "https" || api.server.scheme == "http" {
                origins.append(choice.address.origin)
            }
            resolution.tokens = [Token(session.ks, in: .query, name: "ks", origins: origins)]
            resolution.expiresAt = session.expiresAt
        }
        return resolution
    }

    /// The categories below `category`, or all of the account that have videos.
    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let lists = KalturaLists(
            api: try KalturaAPI(request.parameters, request.credentials, request.settings, sessions: sessions))
        return CourseList(courses: try await lists.categories(below: request.parameters["category"]?.wholeNumber))
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let endpoint = Endpoint(request),
            let found = try await KalturaAddress.read(endpoint.address, endpoint.client)
        else { return Recognition() }
        let api = try KalturaAPI(found.parameters, request.credentials, request.settings, sessions: sessions)
        let lists = KalturaLists(api: api)
        switch found.kind {
        case .entry(let id):
            let answers = try await api.answers(Array(Self.actions(id).prefix(1)))
            guard let entry = try api.entries(answers[0]["objects"]?.array).first else {
                throw api.error("ENTRY_ID_NOT_FOUND")
            }
            return Recognition(.init(id: entry.id, title: entry.name, parameters: found.parameters))
        case .category(let id):
            return Recognition(
                .init(
                    title: try await lists.title(ofCategory: id),
                    parameters: found.parameters.merging(["category": .int(id)]) { $1 }))
        case .playlist(let id):
            return Recognition(
                .init(
                    title: try await lists.title(ofPlaylist: id),
                    parameters: found.parameters.merging(["playlist": .string(id)]) { $1 }))
        }
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await KalturaLogin.login(request, sessions: sessions)
    }

    // MARK: - Of one entry

    static func isID(_ text: String) -> Bool { text.wholeMatch(of: /\d+_[A-Za-z0-9]{1,32}/) != nil }

    /// The entry, what may be played of it, its files, its captions, and its other pictures.
    private static func actions(_ id: String) -> [KalturaAPI.Action] {
        // What an entry has become part of, or itself.
        let found: JSONValue = "{1:result:objects:0:id}"
        return [
            .init(
                service: "baseEntry", action: "list",
                parameters: ["filter": ["redirectFromEntryId": .string(id)], "pager": ["pageSize": 1]]),
            .init(
                service: "baseEntry", action: "getPlaybackContext",
                parameters: [
                    "entryId": found,
                    "contextDataParams": ["objectType": "KalturaContextDataParams", "flavorTags": "all"],
                ]),
            .init(service: "flavorAsset", action: "getByEntryId", parameters: ["entryId": found]),
            .init(
                service: "caption_captionAsset", action: "list",
                parameters: ["filter": ["entryIdEqual": found, "statusEqual": 2], "pager": ["pageSize": 100]]),
            .init(
                service: "baseEntry", action: "list",
                parameters: [
                    "filter": .object(
                        ["parentEntryIdEqual": found, "orderBy": "+createdAt"].merging(KalturaEntry.filter) { $1 }),
                    "pager": ["pageSize": 20],
                ]),
        ]
    }

    /// The other pictures. The video waits for one that isn't ready, until a day after that was made.
    private static func streams(
        _ entries: [KalturaEntry], _ request: ResolveRequest, at api: KalturaAPI
    ) async throws(ProviderError) -> [Resolution.Stream] {
        func leaveOut(_ entry: KalturaEntry, _ error: ProviderError) throws(ProviderError) {
            guard error.kind == .notReady, let made = entry.createdAt, request.now.timeIntervalSince(made) < 86_400
            else {
                return
            }
            throw ProviderError(.notReady, "another picture of it isn't there yet: \(error.message)")
        }
        var others: [KalturaEntry] = []
        for entry in entries {
            if let hindrance = entry.hindrance(at: api.server.host, now: request.now) {
                try leaveOut(entry, hindrance)
            } else {
                others.append(entry)
            }
        }
        guard !others.isEmpty else { return [] }
        let answers = try await api.answers(
            others.flatMap { other in
                [actions(other.id)[1], actions(other.id)[2]].map { action in
                    var action = action
                    action.parameters["entryId"] = .string(other.id)
                    return action
                }
            })
        var streams: [Resolution.Stream] = []
        for (place, other) in others.enumerated() {
            let media = KalturaMedia(sources: answers[2 * place]["sources"]?.list ?? [], host: api.server.host)
            do throws(ProviderError) {
                let choice = try media.choice(answers[2 * place + 1].list, of: other.id, request.quality)
                streams.append(
                    .init(
                        place == 0 ? "secondary" : "secondary \(place + 1)", url: choice.address.text,
                        kind: choice.kind, size: choice.size))
            } catch { try leaveOut(other, error) }
        }
        return streams
    }

    /// Throws what the rules of the account say against playing an entry.
    private static func checkAccess(_ context: JSONValue, at api: KalturaAPI) throws(ProviderError) {
        let codes = (context["messages"]?.list ?? []).compactMap { $0["code"]?.string }
        let isBlocked = (context["actions"]?.list ?? []).contains { $0["type"]?.wholeNumber == 1 }
        guard isBlocked || context["sources"] == nil else { return }
        let (host, origin) = (api.server.host, api.server.origin)
        if codes.contains("SCHEDULED_RESTRICTED") { throw ProviderError(.notReady, "\(host) has it at another time") }
        if codes.contains("COUNTRY_RESTRICTED") { throw ProviderError(.geoBlocked, "\(host) doesn't play it here") }
        let reason = codes.first.map { " (\(HTMLStripper.text(of: $0, bound: 60)))" } ?? ""
        if codes.contains("SESSION_RESTRICTED"), api.login == nil {
            throw ProviderError(.authRequired, "\(host) asks for a login\(reason)", server: origin)
        }
        guard isBlocked || !codes.isEmpty else { throw api.unknownAnswer }
        throw ProviderError(.forbidden, "\(host) doesn't play it for you\(reason)")
    }

    private static func subtitles(_ answer: JSONValue, at api: KalturaAPI) -> [Resolution.Subtitle] {
        (answer["objects"]?.list ?? []).compactMap { caption in
            guard let id = caption["id"]?.string, ![.bool(false), .int(0)].contains(caption["displayOnPlayer"]),
                let address = api.server.replacing(path: "/").appending([
                    "api_v3", "index.php", "service", "caption_captionAsset", "action", "serve", "captionAssetId", id,
                ])
            else { return nil }
            return .init(lang: caption["languageCode"]?.string ?? "und", url: address.text)
        }
    }
}
