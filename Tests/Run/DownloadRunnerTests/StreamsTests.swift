import CourseCatalog
import DownloadStore
import FilePlacement
import Foundation
import MediaTransfer
import ProviderKit
import Testing

@testable import DownloadJobs

@Suite("The choice among a video's views")
struct StreamsTests {
    private static func resolution(role: String? = "combined", _ streams: String...) -> Resolution {
        Resolution(
            url: "https://a/main.mp4", token: .bearer("t"), headers: ["Cookie": "a=1", "X-A": "1"], title: "Talk",
            role: role, streams: streams.map { .init($0, url: "https://b/\($0).mp4") })
    }

    private static func roles(_ resolution: Resolution) -> [String] {
        [resolution.role ?? "-"] + resolution.streams.map(\.role)
    }

    @Test(
        "the catalog's roles, in its order; without one of them the main view",
        arguments: [
            (.main, ["combined"]), (.all, ["combined", "presenter", "slides"]), (.roles(["slides"]), ["slides"]),
            (.roles(["slides", "combined", "x"]), ["slides", "combined"]), (.roles(["x", "y"]), ["combined"]),
            (.roles(["combined", "presenter"]), ["combined", "presenter"]),
            (.roles(["x", "presenter", "slides"]), ["presenter", "slides"]),
        ] as [(StreamSelection, [String])])
    func choice(selection: StreamSelection, roles: [String]) {
        var resolution = Self.resolution("presenter", "slides")
        resolution.chooseStreams(by: selection)
        #expect(Self.roles(resolution) == roles)
        #expect(resolution.title == "Talk")
        #expect(resolution.url.hasPrefix(roles[0] == "combined" ? "https://a/main" : "https://b/\(roles[0])"))
        let main = resolution.streams.first { $0.role == "combined" }
        #expect(main == nil || main?.url == "https://a/main.mp4")
    }

    @Test("no more than a row has partials for")
    func many() {
        var resolution = Self.resolution()
        resolution.streams = (0..<16).map { .init("r\($0)", url: "https://b/\($0)") }
        resolution.chooseStreams(by: .all)
        #expect(resolution.streams.count == DownloadKind.mostViews - 1)
        let names = DownloadKind.views.partials(of: DownloadID(rawValue: 7)).kept
        #expect(names.contains(.track(0, of: DownloadID(rawValue: 7)).inView(DownloadKind.mostViews - 1)))
    }

    @Test("what a view takes from the media goes where that goes, also if it takes the media's place")
    func secrets() throws {
        let resolution = Self.resolution("slides")
        var promoted = resolution
        promoted.chooseStreams(by: .roles(["slides"]))
        for own in [resolution.alone(resolution.streams[0]), promoted] {
            let media = try #require(ResolvedMedia(own, at: Date(timeIntervalSince1970: 0)))
            let request = media.request(start: .beginning, expectedSize: nil, limitRate: nil)
            let origin = try #require(Origin(url: "https://a"))
            #expect(request.secrets.map(\.scopes) == [[URLScope(origin)]])
            // Those that are private go to the media's origin only.
            #expect(Set(request.fields.map(\.name)) == ["Cookie", "X-A"])
            #expect(request.trustedOrigins == [origin])
        }
        var other = resolution
        other.chooseStreams(by: .roles(["slides", "combined"]))
        let media = try #require(ResolvedMedia(other, at: Date(timeIntervalSince1970: 0)))
        let main = media.streams[0].request(start: .beginning, expectedSize: nil, limitRate: nil)
        #expect(main.secrets.map { $0.isFor("https://a/main.mp4") } == [true])
        #expect(Set(main.fields.map(\.name)) == ["Cookie", "X-A"])
    }

    @Test("another form of a view is another part, and another view another request")
    func labels() throws {
        var resolution = Self.resolution("slides")
        #expect(DownloadKind.type(for: resolution).kind == .views)
        let labels = ViewsPlan.labels(of: resolution)
        #expect(labels == ["combined file", "slides file"])
        let now = Date(timeIntervalSince1970: 0)
        let before = try #require(ResolvedMedia(resolution, at: now)).identity
        resolution.streams[0].kind = .hls
        #expect(ViewsPlan.labels(of: resolution) == ["combined file", "slides stream"])
        resolution.streams[0].kind = .file
        resolution.streams[0].tracks = [.init(.audio, url: "https://b/a.m4a")]
        #expect(ViewsPlan.labels(of: resolution) == ["combined file", "slides tracks"])
        #expect(try #require(ResolvedMedia(resolution, at: now)).identity != before)
    }

    @Test(
        "beside what a video has only the missing views are asked for, and its own file stays",
        arguments: [
            (.main, "combined", [], []), (.all, "combined", [], ["presenter", "slides"]),
            (.all, nil, ["slides"], ["presenter"]), (.all, "slides", [], ["combined", "presenter"]),
            (.main, "slides", [], ["combined"]), (.roles(["slides", "combined"]), "combined", ["slides"], []),
            (.roles(["slides", "x"]), "combined", [], ["slides"]), (.roles(["x"]), "presenter", [], ["combined"]),
        ] as [(StreamSelection, String?, Set<String>, [String])])
    func missing(selection: StreamSelection, role: String?, there: Set<String>, missing: [String]) {
        var resolution = Self.resolution("presenter", "slides")
        resolution.chooseStreams(by: selection, besides: role, there)
        #expect(resolution.role == "combined" && resolution.url == "https://a/main.mp4")
        #expect(resolution.streams.map(\.role) == missing)
        if let main = resolution.streams.first(where: { $0.role == "combined" }) {
            #expect(resolution.alone(main).headers == resolution.headers)
        }
    }

    @Test("a main view without a word for it is the file that is there")
    func nameless() {
        var resolution = Self.resolution(role: nil, "slides")
        resolution.chooseStreams(by: .all, besides: "anything", [])
        #expect(resolution.streams.map(\.role) == ["slides"])
    }
}
