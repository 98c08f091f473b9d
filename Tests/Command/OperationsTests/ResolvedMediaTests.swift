import CourseCatalog
import FileSystem
import Foundation
import MediaTransfer
import ProviderKit
import Testing
import UserState

@testable import DownloadJobs
@testable import Operations
@testable import SyncFacts

@Suite("A provider's answer and its time")
struct ResolvedMediaTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)

    private func media(_ lifetime: Double?, singleUse: Bool = false) throws -> ResolvedMedia {
        var resolution = Resolution(url: "https://cdn.example.org/v.mp4")
        resolution.expiresAt = lifetime.map { now + $0 }
        resolution.singleUse = singleUse
        return try #require(ResolvedMedia(resolution, at: now))
    }

    @Test(
        "the margin is a tenth of the lifetime, at most a minute",
        arguments: [(100.0, 89.0, true), (100, 91, false), (36_000, 35_939, true), (36_000, 35_941, false)])
    func margin(lifetime: Double, age: Double, isUsable: Bool) throws {
        #expect(try media(lifetime).isUsable(at: now + age) == isUsable)
    }

    @Test("a fresh answer is tried once, whatever its expiry")
    func fresh() throws {
        var media = try media(-10)
        #expect(media.isUsable(at: now + 1))
        media.use()
        #expect(!media.isUsable(at: now + 1))
    }

    @Test("without an expiry it is used until the server refuses it; a single-use one for one request")
    func others() throws {
        #expect(try media(nil).isUsable(at: now + 1e6))
        var single = try media(nil, singleUse: true)
        #expect(single.isUsable(at: now))
        single.use()
        #expect(!single.isUsable(at: now))
    }

    @Test(
        "expiries in the URL are a hint if they lie between now and ten years ahead",
        arguments: [
            ("https://h/v?expires=1700000100", 1_700_000_100.0), ("https://h/v?Expires=1700000100&x=1", 1_700_000_100),
            ("https://h/v?X-Amz-Date=20231114T221320Z&X-Amz-Expires=300", 1_700_000_300),
            ("https://h/v?expires=1600000000", nil), ("https://h/v?expires=9999999999", nil),
            ("https://h/v?expires=soon", nil), ("https://h/v", nil),
        ] as [(String, Double?)])
    func marks(url: String, expected: Double?) {
        #expect(URLExpiry.expiry(of: url, now: now)?.timeIntervalSince1970 == expected)
    }

    @Test("the token goes to the URL's origin and to the named ones only")
    func token() throws {
        var resolution = Resolution(url: "https://cdn.example.org/v.mp4")
        resolution.token = .bearer("s3cr3t", origins: ["https://other.example.org"])
        resolution.headers = ["Referer": "https://www.example.org/"]
        let media = try #require(ResolvedMedia(resolution, at: now))
        let request = media.request(start: .beginning, expectedSize: nil, limitRate: nil)
        #expect(request.fields == [HTTPField(name: "Referer", value: "https://www.example.org/")])
        let origins = ["https://cdn.example.org", "https://other.example.org"].compactMap { Origin(url: $0) }
        #expect(request.trustedOrigins == Set(origins))
        let secret = try #require(request.secrets.first)
        #expect(secret.part == .field(HTTPField(name: "Authorization", value: "Bearer s3cr3t")))
        #expect(Set(secret.scopes) == Set(origins.map { URLScope($0) }))
        #expect(!request.allowsMarkup)
        #expect(!"\(request)".contains("s3cr3t"))
    }

    @Test("a track has what its resolution has, to the same places, unless it has its own")
    func trackSecrets() throws {
        let resolution = Resolution(
            url: "https://cdn.example.org/v.mp4", token: .bearer("s3cr3t"), headers: ["Authorization": "Basic eA=="],
            tracks: [
                .init(.audio, url: "https://other.example.org/a.m4a"),
                .init(.audio, url: "https://own.example.org/b.m4a", token: .bearer("t0k3n"), headers: ["X-A": "1"]),
            ])
        let media = try #require(ResolvedMedia(resolution, at: now))
        let origin = try #require(Origin(url: "https://cdn.example.org"))
        let own = try #require(Origin(url: "https://own.example.org"))
        let requests = media.tracks.map { $0.request(start: .beginning, expectedSize: nil, limitRate: nil) }
        #expect(requests.map(\.trustedOrigins) == [[origin], [own]])
        #expect(requests.map { $0.secrets.map(\.scopes) } == [[[URLScope(origin)]], [[URLScope(own)]]])
        #expect(requests.map { $0.fields.map(\.name) } == [["Authorization"], ["X-A"]])
    }

    @Test("the first expiry of media and tracks is the answer's, and another track makes it another request")
    func trackExpiry() throws {
        var resolution = Resolution(
            url: "https://h/v.mp4", expiresAt: now + 500,
            tracks: [.init(.audio, url: "https://h/a.m4a", expiresAt: now + 100)])
        let media = try #require(ResolvedMedia(resolution, at: now))
        #expect(media.expiresAt == now + 100 && media.tracks[0].expiresAt == now + 100)
        #expect(!media.isUsable(at: now + 95))
        resolution.tracks[0].url = "https://h/b.m4a"
        resolution.tracks[0].expiresAt = nil
        let other = try #require(ResolvedMedia(resolution, at: now))
        #expect(other.identity != media.identity && other.tracks[0].expiresAt == now + 500)
        resolution.tracks[0].url = "nowhere"
        #expect(ResolvedMedia(resolution, at: now) == nil)
    }

    @Test("the size that the provider says is expected of the whole file or its rest, not of a range of it")
    func size() throws {
        let media = try #require(ResolvedMedia(Resolution(url: "https://h/v.mp4", size: 9), at: now))
        for (start, size) in [
            (.beginning, 9), (.resume(at: 3, total: 9, condition: .checksum), 9), (.range(0..<3), nil),
        ] as [(TransferRequest.Start, Int64?)] {
            #expect(media.request(start: start, expectedSize: nil, limitRate: nil).expectedSize == size)
        }
    }

    @Test("types of the runner that may hold a secret don't print it")
    func printing() throws {
        let signed = "https://u:canary@h/?canary"
        let media = try #require(
            ResolvedMedia(
                Resolution(url: "https://h/?canary", token: .bearer("canary"), headers: ["X-Key": "canary"]), at: .now))
        var answer = ResolveAnswer(
            reference: VideoReference(course: "c", chapter: nil, video: "v", title: "V"), provider: "p", url: signed)
        answer.tokenValue = "canary"
        answer.headers = [(name: "X-Key", value: "canary")]
        answer.subtitles = ["en \(signed)"]
        let sidecar = WantedSidecar(
            owner: .course("c", digest: []), source: .url(signed), isResolved: true, folder: "", name: "cover")
        let stored = StoredCredentials(credentials: Secret(["p": "canary"]), savedAt: .now)
        let values: [Any] = [
            media, answer, sidecar, WantedSidecar.Source.url(signed), stored, LoginSecrets(["p": "canary"]),
            RunCredentials.Held(credentials: Secret("canary"), generation: 1), CoverSource.url(signed),
            SubtitleFile(language: "en", url: signed),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!(dumped + "\(value)" + String(reflecting: value)).contains("canary"), "\(type(of: value))")
        }
        let shown = answer.withoutSecrets
        let texts = [shown.url, shown.tokenValue ?? ""] + shown.headers.map(\.value) + shown.subtitles
        #expect(!texts.joined().contains("canary"))
    }
}
