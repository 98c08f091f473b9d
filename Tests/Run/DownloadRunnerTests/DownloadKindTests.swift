import DownloadStore
import FilePlacement
import MediaLibrary
import ProviderKit
import Testing

@testable import DownloadJobs

@Suite("Kinds of downloads")
struct DownloadKindTests {
    private let id = DownloadID(rawValue: 7)

    @Test("each has its own word and answers, and every answer leads to a kind")
    func apart() {
        let types = DownloadKind.types
        #expect(Set(types.map { $0.kind }).count == types.count)
        #expect(types.map { $0.kind } == DownloadKind.all, "each kind has its partials")
        for answer in [Resolution.Kind.file, .hls, .dash] {
            #expect(types.count { $0.answers.contains(answer) } == 1, "\(answer)")
        }
        #expect(DownloadKind.type(for: Resolution(url: "https://a/b.mp4")).kind == .file)
        #expect(DownloadKind.type(for: Resolution(url: "https://a/b.m3u8", kind: .hls)).kind == .stream)
        let sound = Resolution.Track(.audio, url: "https://a/b.m4a")
        #expect(DownloadKind.type(for: Resolution(url: "https://a/b.mp4", tracks: [sound])).kind == .tracks)
        let slides = Resolution.Stream("slides", url: "https://a/c.mp4")
        #expect(DownloadKind.type(for: Resolution(url: "https://a/b.mp4", streams: [slides])).kind == .views)
    }

    @Test("an unknown word counts as a file")
    func unknown() { #expect(DownloadKind(rawValue: "reel").type.kind == .file) }

    @Test("the names of all partials are listed once each, the video's own first")
    func partials() {
        let names = DownloadKind.partials(of: id)
        #expect(names.first == PartialName(download: 7) && Set(names).count == names.count)
        for type in DownloadKind.types {
            let own = type.kind.partials(of: id)
            #expect(own.kept.contains(PartialName(download: 7)), "\(type)")
            #expect(Set(own.kept).isDisjoint(with: own.passing) && Set(own.all).isSubset(of: names), "\(type)")
        }
    }

    @Test(
        "a later run continues with the joined bytes and the segment positions, and with nothing derived from them",
        arguments: [
            (PartialName(download: 7), true), (.track(DownloadKind.mostTracks, of: DownloadID(rawValue: 7)), true),
            (.track(DownloadKind.mostTracks + 1, of: DownloadID(rawValue: 7)), false),
            (.track(1, of: DownloadID(rawValue: 7)), true),
            (.index(0, of: DownloadID(rawValue: 7)), true), (.index(1, of: DownloadID(rawValue: 7)), true),
            (.remuxed(DownloadID(rawValue: 7)), false), (.list(0, of: DownloadID(rawValue: 7)), false),
            (.playlist(2, of: DownloadID(rawValue: 7)), false), (.subtitle(0, of: DownloadID(rawValue: 7)), false),
            (PartialName(download: 7, sidecar: "12"), false),
        ])
    func kept(name: PartialName, isKept: Bool) { #expect(DownloadKind.keeps(name) == isKept) }
}
