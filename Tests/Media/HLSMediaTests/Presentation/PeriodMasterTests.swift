import Testing

@testable import HLSMedia

@Suite("the choice among the representations of a presentation")
struct PeriodMasterTests {
    private static func set(
        _ kind: String, _ attributes: String, _ encodings: [(String, Int, String)], _ more: String = ""
    ) -> String {
        let all = encodings.map { id, bandwidth, more in
            "<Representation id=\"\(id)\" bandwidth=\"\(bandwidth)\" \(more)><BaseURL>\(id)</BaseURL></Representation>"
        }
        return "<AdaptationSet mimeType=\"\(kind)\" \(attributes)>\(more)\(all.joined())</AdaptationSet>"
    }

    private static let presentation = ParsedPresentation.text(
        "<Period>"
            + set(
                "video/mp4", "codecs=\"avc1.64001f\"",
                [
                    ("low", 300_000, "width=\"320\" height=\"180\""),
                    ("high", 3_000_000, "width=\"1280\" height=\"720\""),
                    ("middle", 900_000, "width=\"640\" height=\"360\""),
                ])
            + set(
                "video/mp4", "codecs=\"av01.0.05M.08\"", [("new", 2_000_000, "width=\"1280\" height=\"720\"")])
            + set(
                "video/mp4", "codecs=\"avc1.64001f\"", [("fast", 9_000_000, "width=\"1920\" height=\"1080\"")],
                "<EssentialProperty schemeIdUri=\"http://dashif.org/guidelines/trickmode\" value=\"0\"/>")
            + set("image/jpeg", "", [("tiles", 9, "width=\"4096\" height=\"4096\"")])
            + set("audio/mp4", "lang=\"en\" codecs=\"ec-3\"", [("en-surround", 400_000, "")])
            + set("audio/mp4", "lang=\"en\" codecs=\"mp4a.40.2\"", [("en-96", 96_000, ""), ("en-32", 32_000, "")])
            + set(
                "audio/mp4", "lang=\"en\" codecs=\"mp4a.40.2\"", [("described", 96_000, "")],
                "<Accessibility schemeIdUri=\"urn:tva:metadata:cs:AudioPurposeCS:2007\" value=\"1\"/>")
            + set(
                "audio/mp4", "lang=\"deu\" codecs=\"mp4a.40.2\"", [("de", 64_000, "")],
                "<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"main\"/>")
            + set("text/vtt", "lang=\"en\"", [("text-en", 1, "")])
            + set(
                "text/vtt", "lang=\"de\"", [("text-de", 1, "")],
                "<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"forced-subtitle\"/>")
            + set("application/mp4", "lang=\"fr\" codecs=\"stpp\" contentType=\"text\"", [("text-fr", 1, "")])
            + "</Period>")

    private static func names(_ preference: StreamPreference) throws -> [String] {
        let source = try ParsedPresentation.source(presentation, preference)
        return source.tracks.compactMap { $0.segments[0].url.split(separator: "/").last.map(String.init) }
    }

    @Test(
        "quality and language choose as among the variants of a playlist; tiles and fast forward aren't chosen",
        arguments: [
            ([.best], [], ["high", "de"]), ([.best], ["en"], ["high", "en-96"]),
            ([.worst], ["en"], ["low", "en-32"]), ([.height(400)], ["fr", "en"], ["middle", "en-96"]),
            ([.audio], ["de"], ["de"]), ([.audio], ["en"], ["en-96"]),
            ([.bitrate(kilobits: 1000)], ["en"], ["middle", "en-96"]),
            ([.bitrate(kilobits: 960)], ["en"], ["low", "en-surround"]),
            ([.height(100)], ["en"], ["low", "en-96"]),
        ] as [([StreamPreference.Quality], [String], [String])])
    func choice(quality: [StreamPreference.Quality], audio: [String], names: [String]) throws {
        #expect(try Self.names(StreamPreference(quality: quality, audio: audio)) == names)
    }

    @Test("a nearest quality is told, and the chosen sound's language; texts that can't be kept have their reason")
    func told() throws {
        let source = try ParsedPresentation.source(
            Self.presentation, StreamPreference(quality: [.height(100)], audio: ["de"], subtitles: .all))
        #expect(source.isFallback && source.audioLanguage == "deu")
        #expect(source.codecs == ["avc1.64001f", "mp4a.40.2"])
        #expect(source.subtitles.map(\.language) == ["en", "de", "fr"])
        let plans = source.subtitles.map { try? $0.presented?.get().segments.map(\.url) }
        #expect(plans == [["https://h/a/text-en"], ["https://h/a/text-de"], nil])
        let wanted = try ParsedPresentation.source(
            Self.presentation, StreamPreference(subtitles: .languages(["de", "en"])))
        #expect(wanted.subtitles.map(\.language) == ["en"], "forced ones aren't wanted by language")
    }

    @Test("sound alone is chosen by language, and is one track")
    func soundAlone() throws {
        let text = ParsedPresentation.text(
            "<Period>" + Self.set("audio/mp4", "lang=\"en\"", [("en", 1, "")])
                + Self.set("audio/mp4", "lang=\"fr\"", [("fr", 1, ""), ("fr-more", 2, "")]) + "</Period>")
        let source = try ParsedPresentation.source(text, StreamPreference(audio: ["fr"]))
        #expect(source.tracks.map { $0.segments[0].url } == ["https://h/a/fr-more"])
        #expect(source.audioLanguage == "fr")
    }

    @Test("texts of several periods aren't joined, with a reason")
    func periods() throws {
        let period = """
            <Period duration="PT5S"><SegmentTemplate duration="1" media="$Number$"/>
            \(Self.set("video/mp4", "", [("v", 1, "")]))\(Self.set("text/vtt", "lang=\"en\"", [("t", 1, "")]))</Period>
            """
        let source = try ParsedPresentation.source(
            ParsedPresentation.text(period + period), StreamPreference(subtitles: .all))
        guard case .failure(.refusal(.unsupported))? = source.subtitles.first?.presented else {
            Issue.record("\(source.subtitles)")
            return
        }
    }
}
