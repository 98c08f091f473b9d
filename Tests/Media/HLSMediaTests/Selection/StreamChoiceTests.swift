import HLSMedia
import Testing

@Suite("the choice of a stream")
struct StreamChoiceTests {
    /// Height, bandwidth in kilobits, codecs, pictures a second; named by place.
    static func master(_ rows: [(Int?, Int64, String, Double?)]) -> MasterPlaylist {
        var playlist = MasterPlaylist()
        for (index, row) in rows.enumerated() {
            var variant = Variant(uri: "v\(index)", bandwidth: row.1 * 1_000, line: index)
            variant.resolution = row.0.map { FrameSize(width: $0 * 16 / 9, height: $0) }
            variant.codecs = row.2.isEmpty ? [] : row.2.split(separator: ",").map(String.init)
            variant.frameRate = row.3
            playlist.variants.append(variant)
        }
        return playlist
    }

    static let ladder = master([
        (360, 800, "avc1.4d,mp4a.40.2", 30), (1080, 5_000, "hvc1.1,mp4a.40.2", 60),
        (1080, 4_500, "avc1.64,mp4a.40.2", 30), (1080, 6_000, "avc1.64,mp4a.40.2", 30),
        (720, 2_500, "avc1.64,ac-3", 60), (720, 2_400, "avc1.64,mp4a.40.2", 30), (720, 2_300, "avc1.64,mp4a.40.2", 60),
        (nil, 64, "mp4a.40.5", nil), (360, 600, "avc1.4d,mp4a.40.2", 30), (720, 1_000, "av01.0", 60),
    ])

    @Test(
        "each preference selects its variant; in a list the first available one decides",
        arguments: [
            ([], "v3", false), ([.best], "v3", false), ([.worst], "v8", false), ([.audio], "v7", false),
            ([.height(1080)], "v3", false), ([.height(720)], "v6", false), ([.height(1_000)], "v6", false),
            ([.height(4_320)], "v3", false), ([.height(240)], "v0", true), ([.height(0)], "v0", true),
            ([.bitrate(kilobits: 5_000)], "v1", false), ([.bitrate(kilobits: 2_450)], "v5", false),
            ([.bitrate(kilobits: 100)], "v8", true), ([.bitrate(kilobits: .max)], "v3", false),
            ([.height(240), .bitrate(kilobits: 900)], "v0", false), ([.height(240), .height(480)], "v0", false),
            ([.height(240), .worst], "v8", false), ([.bitrate(kilobits: 1), .audio], "v7", false),
            ([.audio, .best], "v7", false),
        ] as [([StreamPreference.Quality], String, Bool)])
    func quality(wishes: [StreamPreference.Quality], uri: String, isFallback: Bool) {
        let choice = Self.ladder.choose(StreamPreference(quality: wishes))
        #expect(choice.variant?.uri == uri)
        #expect(choice.isFallback == isFallback)
    }

    @Test("variants without a size are compared by bitrate, and by height only if none has one")
    func sizeless() {
        let mixed = Self.master([(nil, 9_000, "", nil), (480, 1_000, "", nil), (nil, 100, "", nil)])
        #expect(mixed.choose(StreamPreference(quality: [.best])).variant?.uri == "v1")
        #expect(mixed.choose(StreamPreference(quality: [.worst])).variant?.uri == "v1")
        #expect(mixed.choose(StreamPreference(quality: [.height(360)])).variant?.uri == "v1")
        #expect(mixed.choose(StreamPreference(quality: [.bitrate(kilobits: 500)])).variant?.uri == "v2")
        let bare = Self.master([(nil, 300, "", nil), (nil, 900, "", nil), (nil, 100, "", nil)])
        #expect(bare.choose(StreamPreference(quality: [.best])).variant?.uri == "v1")
        #expect(bare.choose(StreamPreference(quality: [.worst])).variant?.uri == "v2")
        #expect(bare.choose(StreamPreference(quality: [.height(720)])).variant?.uri == "v1")
        #expect(
            bare.choose(StreamPreference(quality: [.audio]))
                == StreamChoice(variant: bare.variants[2], isFallback: true))
    }

    @Test("an upright picture counts by its width")
    func upright() {
        var playlist = Self.master([(720, 1_000, "", nil), (1080, 2_000, "", nil)])
        playlist.variants[0].resolution = FrameSize(width: 720, height: 1_280)
        playlist.variants[1].resolution = FrameSize(width: 1_080, height: 1_920)
        #expect(playlist.choose(StreamPreference(quality: [.height(1_080)])).variant?.uri == "v1")
    }

    @Test("streams with sound only are candidates if there are no others")
    func soundOnly() {
        let playlist = Self.master([(nil, 64, "mp4a.40.5", nil), (nil, 128, "mp4a.40.2", nil)])
        #expect(playlist.choose(StreamPreference(quality: [.best])).variant?.uri == "v1")
        #expect(playlist.choose(StreamPreference(quality: [.worst])).variant?.uri == "v0")
        #expect(playlist.choose(StreamPreference(quality: [.audio])).variant?.uri == "v1")
        #expect(MasterPlaylist().choose(StreamPreference()) == StreamChoice(variant: nil, isFallback: true))
    }

    static func rendition(
        _ kind: Rendition.Kind, _ language: String?, _ uri: String?, isDefault: Bool = false, autoselect: Bool = false
    ) -> Rendition {
        var rendition = Rendition(kind: kind, uri: uri, groupID: "g", language: language)
        rendition.isDefault = isDefault
        rendition.isAutoselect = autoselect
        return rendition
    }

    static func withGroup(_ renditions: [Rendition]) -> MasterPlaylist {
        var playlist = Self.master([(720, 1_000, "avc1,mp4a", nil)])
        playlist.variants[0].audioGroup = "g"
        playlist.variants[0].subtitlesGroup = "g"
        var stranger = rendition(.audio, "en", "other-group", isDefault: true)
        stranger.groupID = "h"
        playlist.renditions = [stranger] + renditions
        return playlist
    }

    @Test(
        "sound: the languages in order, then DEFAULT, AUTOSELECT, the first",
        arguments: [
            ([], "de"), (["en"], "us"), (["en-GB"], "us"), (["EN-us"], "us"), (["pt", "fr"], "fr"), (["fra"], "fr"),
            (["pt"], "de"), (["zh"], "zh"), (["zh-Hant-HK"], "zh"), (["*"], "de"), (["e"], "de"), ([""], "de"),
        ])
    func audio(languages: [String], uri: String) {
        var described = Self.rendition(.audio, "en-US", "described", autoselect: true)
        described.characteristics = ["public.accessibility.describes-video"]
        let playlist = Self.withGroup([
            described, Self.rendition(.audio, "en-US", "us"), Self.rendition(.audio, "fre", "fr", autoselect: true),
            Self.rendition(.audio, "de", "de", isDefault: true), Self.rendition(.audio, "zh-Hant", "zh"),
            Self.rendition(.audio, nil, "unknown"),
        ])
        let choice = playlist.choose(StreamPreference(audio: languages))
        #expect(choice.variant?.uri == "v0")
        #expect(choice.audio?.uri == uri)
    }

    @Test("sound without a URI is in the variant's own stream")
    func muxed() {
        let playlist = Self.withGroup([
            Self.rendition(.audio, "en", nil, isDefault: true), Self.rendition(.audio, "de", "de"),
        ])
        #expect(playlist.choose(StreamPreference()).audio == nil)
        #expect(playlist.choose(StreamPreference(audio: ["de"])).audio?.uri == "de")
        let alone = playlist.choose(StreamPreference(quality: [.audio], audio: ["de"]))
        #expect(alone == StreamChoice(variant: nil, audio: playlist.renditions[2]))
        #expect(playlist.choose(StreamPreference(quality: [.audio], audio: ["en"])).isFallback)
        #expect(Self.withGroup([]).choose(StreamPreference()).audio == nil)
    }

    @Test(
        "subtitles: all, or by language, without forced ones",
        arguments: [
            (.none, []), (.all, ["forced", "sdh", "en", "hans", "hant", "unknown"]), (.languages(["en"]), ["en"]),
            (.languages(["zh", "en-US", "zh"]), ["hans", "hant", "en"]), (.languages(["zh-Hant"]), ["hant"]),
            (.languages(["fr"]), []), (.languages([]), []),
        ] as [(StreamPreference.Subtitles, [String])])
    func subtitles(preference: StreamPreference.Subtitles, uris: [String]) {
        var forced = Self.rendition(.subtitles, "en", "forced", isDefault: true)
        forced.isForced = true
        var transcript = Self.rendition(.subtitles, "en", "sdh", isDefault: true)
        transcript.characteristics = ["public.accessibility.describes-music-and-sound"]
        let playlist = Self.withGroup([
            forced, transcript, Self.rendition(.subtitles, "en", "en"), Self.rendition(.subtitles, "zh-Hans", "hans"),
            Self.rendition(.subtitles, "chi-Hant", "hant"), Self.rendition(.subtitles, nil, "unknown"),
            Self.rendition(.subtitles, "en", "en"), Self.rendition(.subtitles, "fr", nil),
            Self.rendition(.closedCaptions, "en", nil),
        ])
        #expect(playlist.choose(StreamPreference(subtitles: preference)).subtitles.map(\.uri) == uris)
    }

    @Test("the identity of a choice distinguishes sizes, and contains no URI")
    func identity() {
        let identities = Self.ladder.variants.map { StreamChoice(variant: $0).variantIdentity }
        #expect(Set(identities).count == identities.count)
        #expect(identities[0] == "variant 800000 640x360 avc1.4d,mp4a.40.2")
        #expect(
            StreamChoice.identity(of: Self.rendition(.audio, "en", "secret"))
                != StreamChoice.identity(
                    of: Self.rendition(.audio, "de", "secret")))
        #expect(!StreamChoice.identity(of: Self.rendition(.audio, "en", "secret")).contains("secret"))
    }
}
