import Testing

@testable import BundledProviders

@Suite("the choice among a host's renditions")
struct RenditionChoiceTests {
    private static let all = [
        Rendition(media: "360", height: 360, bitrate: 600), Rendition(media: "1080", height: 1080, bitrate: 4000),
        Rendition(media: "720", height: 720, bitrate: 2000), Rendition(media: "720 again", height: 720, bitrate: 2000),
        Rendition(media: "sound", bitrate: 128, hasPicture: false),
    ]

    @Test(
        "the first quality that a rendition has decides",
        arguments: [
            (["best"], "1080"), ([], "1080"), (["worst"], "360"), (["audio"], "sound"), (["720p"], "720"),
            (["1000p"], "720"), (["2160p"], "1080"), (["240p"], "360"), (["2500k"], "720"), (["100k"], "360"),
            (["240p", "720p"], "720"), (["audio", "best"], "sound"),
        ])
    func choice(quality: [String], chosen: String) {
        #expect(RenditionChoice.of(Self.all, quality: quality) == chosen)
    }

    @Test("without sound alone, audio takes the smallest picture; without pictures, every quality is of the sounds")
    func oneKind() {
        let pictures = Self.all.filter(\.hasPicture)
        #expect(RenditionChoice.of(pictures, quality: ["audio"]) == "360")
        #expect(RenditionChoice.of(pictures, quality: ["audio", "720p"]) == "720")
        let sounds = Self.all.filter { !$0.hasPicture }
        for quality in ["best", "worst", "audio", "720p"] {
            #expect(RenditionChoice.of(sounds, quality: [quality]) == "sound")
        }
        #expect(RenditionChoice.of([Rendition<String>](), quality: ["best"]) == nil)
    }

    @Test("what tells no height is the worst, and never at or below one")
    func unknown() {
        let some = [Rendition(media: "?"), Rendition(media: "480", height: 480)]
        #expect(RenditionChoice.of(some, quality: ["best"]) == "480")
        #expect(RenditionChoice.of(some, quality: ["worst"]) == "?")
        #expect(RenditionChoice.of(some, quality: ["720p"]) == "480")
    }
}
