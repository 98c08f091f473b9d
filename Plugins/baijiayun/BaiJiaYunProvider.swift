import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses that are the videos of a category, or the playbacks of a room, of a BaijiaYun account.
struct BaiJiaYunProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let source = try Self.source(parameters)
        let lists = BaiJiaYunLists(
            api: try BaiJiaYunAPI(parameters, request.credentials, request.settings, now: request.now))
        return try await pages.page(request) { _ throws(ProviderError) in
            .whole(try await lists.listing(source), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let api = try BaiJiaYunAPI(parameters, request.credentials, request.settings, now: request.now)
        guard let id = BaiJiaYunID(request.video.id, parameters) else {
            throw ProviderError(.notFound, "this can't be the id of a video or a playback")
        }
        let wish = BaiJiaYunMedia.Wish(request)
        let answer = try await api.played(id)
        let file = try await Self.file(of: id, answer, wish, at: api)
        var resolution = Resolution(
            url: file.address.text, kind: file.kind, expiresAt: file.expiresAt, size: file.size,
            fileExtension: file.kind == .file ? MediaFiles.fileExtension(file.address.lastName) : nil,
            duration: answer["duration"]?.number.flatMap { $0 > 0 ? $0 : nil },
            subtitles: Self.subtitles(answer, at: api), attachments: Self.signals(answer, at: api),
            cover: api.picture(answer["init_pic"]), title: Self.title(answer))
        resolution.streams = Self.streams(answer, wish, at: api)
        return resolution
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let lists = BaiJiaYunLists(
            api: try BaiJiaYunAPI(request.parameters, request.credentials, request.settings, now: request.now))
        return CourseList(courses: try await lists.categories(below: request.parameters["category"]?.wholeNumber))
    }

    /// The page of a player has a token of its video in its address, which is kept with the credentials.
    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let (id, token) = BaiJiaYunID.read(address) else {
            return Recognition()
        }
        let server = address.replacing(path: "/")
        let credentials = token.map {
            Secret(BaiJiaYunLogin.adding($0, of: id, at: server, to: request.credentials))
        }
        let api = BaiJiaYunAPI(
            server, BaiJiaYunLogin(credentials ?? request.credentials, for: server), request.settings,
            now: request.now)
        var title: String?
        do throws(ProviderError) {
            title = Self.title(try await api.played(id))
        } catch {
            guard error.kind == .notReady else { throw error }
        }
        let parameters = id.parameters.merging(["endpoint": .string(server.text)]) { $1 }
        var recognition = Recognition(.init(id: id.text, title: title, parameters: parameters))
        if api.login.key == nil { recognition.credentials = credentials }
        return recognition
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await BaiJiaYunLogin.login(request)
    }

    private static func source(_ parameters: [String: JSONValue]) throws(ProviderError) -> BaiJiaYunLists.Source {
        let given = ["category", "classId", "all"].filter { parameters[$0] != nil }
        switch given {
        case ["category"]: if let id = parameters["category"]?.wholeNumber { return .category(id) }
        case ["classId"]:
            if case .playback(let id, _)? = BaiJiaYunID("", parameters) { return .room(id) }
        case ["all"]: return parameters["all"] == "playbacks" ? .playbacks : .videos
        default: break
        }
        throw ProviderError(
            .invalidParameters, "say one of category, classId and all", parameter: given.last ?? "category")
    }

    // MARK: - Of one video

    private static func file(
        of id: BaiJiaYunID, _ answer: JSONValue, _ wish: BaiJiaYunMedia.Wish, at api: BaiJiaYunAPI
    ) async throws(ProviderError) -> BaiJiaYunMedia.File {
        let media = BaiJiaYunMedia(answer: answer, server: api.server)
        if let file = media.file(wish) { return file }
        let host = api.server.host
        guard media.isEncrypted else {
            throw ProviderError(.notReady, "\(host) has no file of it that can be downloaded yet")
        }
        // What players get encrypted the account's own function may have as it is.
        if !id.isPlayback, api.login.key != nil {
            do throws(ProviderError) {
                let own = try await api.call("video/getUrl", id.fields + [("format", "mp4")])
                if let file = BaiJiaYunMedia(answer: own, server: api.server).file(wish) { return file }
            } catch {
                guard error.kind == .forbidden else { throw error }
            }
        }
        throw ProviderError(.drm, "\(host) has this video encrypted only")
    }

    private static func title(_ answer: JSONValue) -> String? {
        let titles = [answer["title"], answer["playback_title"], answer["video_info"]?["title"]]
        return titles.lazy.compactMap { $0?.string }.first { !$0.isEmpty }.map(MediaFiles.title)
    }

    /// What others than the lecturer sent in a class.
    private static func streams(
        _ answer: JSONValue, _ wish: BaiJiaYunMedia.Wish, at api: BaiJiaYunAPI
    ) -> [Resolution.Stream] {
        let files = (answer["user_video"]?.list ?? []).compactMap {
            BaiJiaYunMedia(answer: $0, server: api.server).file(wish)
        }
        return files.prefix(16).enumerated().map { place, file in
            .init(
                place == 0 ? "webcam" : "webcam \(place + 1)", url: file.address.text, kind: file.kind,
                expiresAt: file.expiresAt, size: file.size)
        }
    }

    /// Slides, drawings and the chat of a class, as the vendor's players read them.
    private static func signals(_ answer: JSONValue, at api: BaiJiaYunAPI) -> [Resolution.Attachment] {
        var attachments: [Resolution.Attachment] = []
        for (name, value) in (answer["signal"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            let texts = value.list.compactMap { $0["url"]?.string }.filter { !$0.isEmpty }
            for (place, text) in texts.enumerated() {
                guard let address = api.server.resolving(text) else { continue }
                attachments.append(.init(title: texts.count == 1 ? name : "\(name) \(place + 1)", url: address.text))
            }
        }
        return attachments
    }

    private static func subtitles(_ answer: JSONValue, at api: BaiJiaYunAPI) -> [Resolution.Subtitle] {
        (answer["subtitles"]?.list ?? []).compactMap { entry in
            guard let text = entry["url"]?.string, !text.isEmpty, let address = api.server.resolving(text) else {
                return nil
            }
            return .init(lang: language(entry["name"]?.string ?? ""), url: address.text)
        }
    }

    /// Subtitles have a name, and no language of their own.
    private static func language(_ name: String) -> String {
        let words = [("繁", "zh-Hant"), ("中", "zh"), ("简", "zh"), ("Chinese", "zh"), ("英", "en"), ("English", "en")]
        return words.first { name.contains($0.0) }?.1 ?? "und"
    }
}
