import Foundation
import ProviderKit
import Testing

/// Every public name of the kit, used as a plugin uses it: what is renamed or moved doesn't compile here, as it wouldn't
/// in the plugins of others.
@Suite("The kit's public names") struct PublicNamesTests {
    /// A provider that does everything.
    private struct Whole: Provider {
        init() {}

        func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
            let names: [String?] = [
                request.user, request.video.id, request.video.title, request.course.id, request.course.title,
                request.chapter?.id, request.dataFolder, request.settings.userAgent, request.settings.proxy?.value,
                request.settings.caFile, request.previous?.server, request.credentials?.value["token"]?.string,
            ]
            guard let key = request.video.parameters["key"]?.string else {
                throw ProviderError(.invalidParameters, "key is missing", parameter: "key")
            }
            if case .rejected? = request.previous?.reason, let status = request.previous?.status, status == 403 {
                throw ProviderError(
                    .rateLimited, "later", retryAfter: .seconds(1), credentials: Secret(["token": "new"]),
                    server: "https://h:81")
            }
            let jar =
                CookieJar(named: "session", in: request.credentials, at: request.now)
                ?? CookieJar("", at: request.now)
            let facts = jar.cookies.map { cookie in
                (
                    cookie.domain, cookie.path, cookie.includesSubdomains, cookie.isSecure, cookie.isHTTPOnly,
                    cookie.expiresAt
                )
            }
            guard facts.isEmpty, jar.cookies.map(\.name) == jar.cookies.map(\.value), jar.text.hasPrefix("#") else {
                throw ProviderError(.forbidden, "no cookies here")
            }
            var resolution = Resolution(
                url: "https://h/" + PercentEncoding.encoded(key, keeping: "/"), kind: .hls,
                token: .bearer("t", origins: ["https://cdn"]), expiresAt: request.now + 60, headers: ["X-Name": "x"],
                size: Int64(names.compactMap(\.self).count), sha256: "00", fileExtension: "mp4", mediaType: "video/mp4",
                duration: 1.5, singleUse: true, extendable: true,
                subtitles: [.init(lang: "en", url: "https://h/en.vtt")],
                attachments: [.init(title: "Slides", url: "https://h/a.pdf")], cover: "https://h/a.jpg",
                credentials: Secret(["token": "t"]))
            if request.quality == ["best"] { resolution.kind = .file }
            return resolution
        }

        func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
            if request.known == "1" { return Listing(known: "1", unchanged: true) }
            let video = Listing.Video(
                id: request.course.id, formerly: "old", title: request.course.title, description: "d",
                publishedAt: request.now, duration: 2, cover: "https://h/a.jpg", parameters: request.course.parameters,
                size: 3, sha256: "00", subtitleFiles: [.init(lang: "en", url: "https://h/en.vtt")],
                attachments: [.init(title: "Slides", url: "https://h/a.pdf")], episode: 4)
            return Listing(
                title: request.user, cover: request.dataFolder,
                chapters: [.init(id: "c", title: "C", cover: nil, videos: [video], season: 5)],
                videos: [], next: request.cursor == nil ? "2" : nil, known: "1", unchanged: false,
                credentials: request.credentials)
        }

        func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
            let password = request.secrets.value["password"] ?? request.parameters["password"]?.string
            guard let password, request.dataFolder == nil, request.settings.caFile == nil else {
                throw ProviderError(.authRequired, "the password is missing for \(request.user)")
            }
            return Login(credentials: ["token": .string(password)], expiresAt: request.now)
        }
    }

    /// A provider that has only what each must have.
    private struct Least: Provider {
        init() {}

        func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution { Resolution(url: "u") }
    }

    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test("a plugin resolves, lists and logs in with them")
    func requests() async throws {
        let settings = HostSettings(userAgent: "a", proxy: "http://p", caFile: "/ca")
        let request = ResolveRequest(
            user: "anna", now: Self.now, credentials: Secret(["token": "t"]), settings: settings,
            video: .init(id: "v", title: "V", parameters: ["key": "a b/c"]), course: .init(id: "c", title: "C"),
            chapter: .init(id: "k"), quality: ["1080"], previous: .init(reason: .expired, status: 200, bytes: 5))
        let found = try await Whole().resolve(request)
        #expect(found.url == "https://h/a%20b/c" && found.kind == .hls && found.token?.value == "t")
        #expect(found.token?.placement == .header && found.token?.origins == ["https://cdn"] && found.singleUse)
        #expect(found.size == 10 && found.extendable && found.subtitles.count + found.attachments.count == 2)
        #expect(request.previous?.bytes == 5 && PercentEncoding.decoded("a%20b") == "a b")
        var listed = try await Whole().list(
            ListRequest(
                user: "anna", now: Self.now, settings: settings,
                course: .init(id: "c", title: "C", parameters: ["a": [1, 2.5, nil, true]]), cursor: nil, known: nil))
        #expect(listed.next == "2" && listed.chapters[0].season == 5 && !listed.unchanged)
        listed.videos = listed.chapters[0].videos
        #expect(listed.videos[0].parameters["a"]?.array?.count == 4 && listed.videos[0].episode == 4)
        let login = try await Whole().login(
            LoginRequest(user: "anna", now: Self.now, parameters: [:], secrets: ["password": "p"]))
        #expect(login.credentials.value == ["token": "p"] && login.expiresAt == Self.now)
    }

    @Test("a provider needn't list or log in")
    func least() async throws {
        let provider = Least()
        await #expect(throws: ProviderError(.unsupported, "this provider can't list courses")) {
            try await provider.list(ListRequest(user: "u", now: Self.now, course: .init(id: "c")))
        }
        await #expect(throws: ProviderError(.unsupported, "this provider needs no login")) {
            try await provider.login(LoginRequest(user: "u", now: Self.now, secrets: [:]))
        }
        // It serves until its standard input ends, which is a test of plugins.
        _ = Least.main
    }

    @Test("errors, tokens, secrets and values of JSON have their names")
    func values() throws {
        #expect(ProviderError.Kind.ofPlugins.count == 11)
        let kinds: [ProviderError.Kind] = [
            .authRequired, .forbidden, .geoBlocked, .notFound, .gone, .drm, .notReady, .rateLimited, .unavailable,
            .invalidParameters, .renewalNeeded, .unsupported, .pluginFault, .providerFailed, .machineExhausted,
            .cancelled,
        ]
        #expect(Set(kinds) == Set(ProviderError.Kind.allCases))
        let error = ProviderError(.drm, "no", retryAfter: .seconds(1), parameter: "p")
        #expect(error.kind == .drm && error.message == "no" && error.retryAfter == .seconds(1))
        #expect(error.parameter == "p" && error.server == nil && error.credentials == nil)
        let tokens = [Token("v", in: .query, name: "n", prefix: "p"), Token("v", in: .cookie, name: "n", origins: [])]
        #expect(tokens.allSatisfy { $0.name == "n" && !"\($0)".contains("v,") } && tokens[0].prefix == "p")
        #expect("\(Secret("s"))" == "<redacted>" && Secret("s").value == "s")
        let redacted: any PrintsRedacted = Listing(title: "secret")
        #expect(!"\(redacted)".contains("secret"))
        let value: JSONValue = ["a": 1, "b": 2.5, "c": "d", "e": nil, "f": [true]]
        #expect(value["a"]?.int == 1 && value["b"]?.double == 2.5 && value["c"]?.string == "d" && value["e"] == .null)
        #expect(value["f"]?.array?.first?.bool == true && value.object?.count == 5)
        let same: [String: JSONValue] = [
            "a": .int(1), "b": .double(2.5), "c": .string("d"), "e": .null, "f": .array([.bool(true)]),
        ]
        #expect(value == .object(same))
        let levels: [HostLog.Level] = [.debug, .info, .warning, .error]
        #expect(levels.map(\.rawValue) == ["debug", "info", "warning", "error"])
        let write: (HostLog.Level, String) -> Void = HostLog.write
        _ = write
    }
}
