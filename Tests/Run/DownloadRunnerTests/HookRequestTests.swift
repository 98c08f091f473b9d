import Foundation
import Hooks
import MediaTransfer
import ProviderKit
import Testing

@testable import DownloadJobs

@Suite("requests that the user's hook commands change")
struct HookRequestTests {
    private static let answer = Resolution(
        url: "https://media.example.org/a.mp4",
        token: .bearer("t0ken", origins: ["https://cdn.example.org"]),
        headers: ["Cookie": "sid=1", "authorization": "Basic x", "Proxy-Authorization": "p", "Referer": "https://r/"])

    private static func changed(to url: String, _ headers: [String: String?] = [:]) -> Resolution {
        var resolution = answer
        var shown = ["Referer": "https://r/"]
        for (name, value) in headers { shown[name] = value }
        resolution.become(RequestChange(url: url, headers: shown, named: Set(headers.keys.map { $0.lowercased() })))
        return resolution
    }

    @Test("cookies, Authorization and Proxy fields of an answer aren't shown to a command")
    func shown() {
        let facts = RequestFacts(
            HookSubject(course: "c"), purpose: "video", url: Self.answer.url, sending: Self.answer.fields)
        #expect(facts.headers == ["Referer": "https://r/"])
    }

    @Test("the same origin keeps all, unless the command sets or removes it")
    func same() {
        #expect(Self.changed(to: "https://media.example.org:443/b.mp4").headers == Self.answer.headers)
        #expect(Self.changed(to: "https://media.example.org/b.mp4").token == Self.answer.token)
        let changed = Self.changed(to: Self.answer.url, ["COOKIE": "mine", "Authorization": nil]).headers
        #expect(changed == ["COOKIE": "mine", "Proxy-Authorization": "p", "Referer": "https://r/"])
    }

    @Test("an origin that the answer names gets all; another one what isn't private, and what the command sets")
    func others() {
        let named = Self.changed(to: "https://cdn.example.org/a.mp4")
        #expect(named.token == Self.answer.token && named.headers == Self.answer.headers)
        for url in ["https://mirror.example.org/", "http://media.example.org/", "https://media.example.org:8443/"] {
            let other = Self.changed(to: url, ["Cookie": "for-the-mirror"])
            #expect(other.token == nil)
            #expect(other.headers == ["Referer": "https://r/", "Cookie": "for-the-mirror"], "\(url)")
        }
    }

    @Test("the same holds for a subtitle's request")
    func sidecar() throws {
        let media = try #require(ResolvedMedia(Self.answer, at: Date(timeIntervalSince1970: 0)))
        let template = media.sidecarRequest("https://media.example.org/a.vtt")
        var same = template
        same.become(RequestChange(url: "https://media.example.org/b.vtt", headers: ["Referer": "https://r/"]))
        #expect(Set(same.fields) == Set(template.fields) && same.secrets == template.secrets)
        var other = template
        other.become(
            RequestChange(url: "https://mirror.example.org/b.vtt", headers: ["Cookie": "mine"], named: ["cookie"]))
        #expect(other.fields == [HTTPField(name: "Cookie", value: "mine")] && other.secrets.isEmpty)
        #expect(other.trustedOrigins == Set([Origin(url: "https://mirror.example.org")].compactMap(\.self)))
    }

    @Test("a field that the command sets is sent to the address that it was asked about")
    func own() throws {
        let media = try #require(ResolvedMedia(Self.answer, at: Date(timeIntervalSince1970: 0)))
        var request = media.sidecarRequest("https://subtitles.example.org/a.vtt")
        request.become(
            RequestChange(url: request.url, headers: ["Authorization": "mine"], named: ["authorization"]))
        #expect(request.trustedOrigins == Set([Origin(url: request.url)].compactMap(\.self)))
        #expect(request.fields == [HTTPField(name: "Authorization", value: "mine")] && request.secrets.isEmpty)
    }
}
