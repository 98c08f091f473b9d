import Checkout
import Foundation
import HLSMedia
import SystemPackage
import TestSupport
import Testing

@Suite("playlists of other projects")
struct PlaylistCorpusTests {
    static let folder = Corpora.folder("hls-playlists")

    static func files() -> [(name: String, bytes: [UInt8])] {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder.string) else {
            return []
        }
        return names.sorted().compactMap { name in
            guard name.hasSuffix(".m3u8") else { return nil }
            return FileManager.default.contents(atPath: folder.appending(name).string).map {
                (String(name.dropLast(5)), Array($0))
            }
        }
    }

    static func parse(_ bytes: [UInt8]) throws(PlaylistError) -> Playlist {
        try Playlist.parse(bytes, url: "https://h/p.m3u8?Define2=two", imports: ["Define3": "three"])
    }

    /// What a file has: variants and renditions, or segments, maps and seconds; or the line that is wrong.
    static func summary(_ bytes: [UInt8]) -> String {
        do {
            switch try parse(bytes) {
            case .master(let playlist):
                return "\(playlist.variants.count) variants, \(playlist.renditions.count) renditions"
            case .media(let playlist):
                let seconds = playlist.segments.reduce(0) { $0 + $1.duration }.rounded()
                return "\(playlist.segments.count) segments, \(playlist.maps.count) maps, \(Int(seconds)) s"
            }
        } catch { return "line \(error.line): \(error.message)" }
    }

    /// By name.
    static let expected = [
        "bad-media-playlist-with-gap": "line 7: the segment has no EXTINF",
        "master-groups-and-iframe": "2 variants, 2 renditions",
        "master-playlist-with-custom-tags": "5 variants, 0 renditions",
        "master-with-alternatives-b": "4 variants, 9 renditions",
        "master-with-alternatives": "4 variants, 9 renditions",
        "master-with-channels": "3 variants, 3 renditions",
        "master-with-closed-captions-eq-none": "3 variants, 5 renditions",
        "master-with-closed-captions": "1 variants, 7 renditions",
        "master-with-defines-invalid": "line 3: there is no such variable to import",
        "master-with-defines": "5 variants, 0 renditions",
        "master-with-hlsv7": "9 variants, 0 renditions",
        "master-with-i-frame-stream-inf": "4 variants, 0 renditions",
        "master-with-independent-segments": "1 variants, 0 renditions",
        "master-with-multiple-codecs": "5 variants, 0 renditions",
        "master-with-non-closed-captions-instream-id": "2 variants, 2 renditions",
        "master-with-req-video-layout": "1 variants, 0 renditions",
        "master-with-sessiondata": "1 variants, 0 renditions",
        "master-with-stream-inf-1": "5 variants, 0 renditions",
        "master-with-stream-inf-name": "4 variants, 0 renditions",
        "master": "5 variants, 0 renditions",
        "media-playlist-fmp4": "6 segments, 2 maps, 12 s",
        "media-playlist-large": "40001 segments, 0 maps, 400010 s",
        "media-playlist-low-latency-initial-sequence-num-5": "16 segments, 1 maps, 64 s",
        "media-playlist-low-latency": "8 segments, 1 maps, 32 s",
        "media-playlist-trailing-scte35-daterange": "1 segments, 0 maps, 6 s",
        "media-playlist-with-byterange": "3 segments, 0 maps, 30 s",
        "media-playlist-with-cue-out-in-without-oatcls": "62 segments, 0 maps, 372 s",
        "media-playlist-with-custom-tags": "4 segments, 0 maps, 38 s",
        "media-playlist-with-defines": "1 segments, 0 maps, 10 s",
        "media-playlist-with-discontinuity-seq": "4 segments, 0 maps, 38 s",
        "media-playlist-with-discontinuity": "4 segments, 0 maps, 38 s",
        "media-playlist-with-gap": "13 segments, 0 maps, 49 s",
        "media-playlist-with-iframes-only-and-map": "1 segments, 1 maps, 0 s",
        "media-playlist-with-iframes-only": "1 segments, 0 maps, 0 s",
        "media-playlist-with-interstitial": "1 segments, 0 maps, 6 s",
        "media-playlist-with-key": "3 segments, 0 maps, 6 s",
        "media-playlist-with-multiple-dateranges": "1 segments, 0 maps, 6 s",
        "media-playlist-with-oatcls-scte35": "3 segments, 0 maps, 19 s",
        "media-playlist-with-program-date-time": "4 segments, 0 maps, 56 s",
        "media-playlist-with-queryparam": "4 segments, 0 maps, 38 s",
        "media-playlist-with-scte35-1": "3 segments, 0 maps, 30 s",
        "media-playlist-with-scte35-and-cue": "8 segments, 1 maps, 20 s",
        "media-playlist-with-scte35-daterange": "7 segments, 0 maps, 70 s",
        "media-playlist-with-scte35": "3 segments, 0 maps, 30 s",
        "media-playlist-with-skip": "6 segments, 0 maps, 24 s",
        "media-playlist-with-start-time": "4 segments, 0 maps, 38 s",
        "wowza-master": "5 variants, 0 renditions",
        "wowza-vod-chunklist": "522 segments, 0 maps, 6259 s",
    ]

    @Test(
        "each is read, or refused with an error",
        .enabled(if: folder != nil, "the corpora are not beside the checkout"))
    func all() {
        let files = Self.files()
        #expect(files.count == Self.expected.count)
        for file in files { #expect(Self.summary(file.bytes) == Self.expected[file.name], "\(file.name)") }
    }

    @Test(
        "from each a rendition is chosen, or a plan is made and survives printing, or it is refused",
        .enabled(if: folder != nil, "the corpora are not beside the checkout"))
    func plans() throws {
        for file in Self.files() {
            switch try? Self.parse(file.bytes) {
            case .master(let master)?:
                #expect(master.choose(StreamPreference()).variant != nil, "\(file.name)")
            case .media(let media)?:
                guard let plan = try? StreamPlan.make(media, url: "https://h/p.m3u8") else { continue }
                #expect(plan.segments.count == media.segments.count, "\(file.name)")
                guard case .media(let again) = try Playlist.parse(Array(plan.text().utf8), url: "https://h/p.m3u8")
                else { continue }
                let other = try StreamPlan.make(again, url: "https://h/p.m3u8")
                #expect(other.segments == plan.segments && other.maps == plan.maps, "\(file.name)")
            case nil: continue
            }
        }
    }
}
