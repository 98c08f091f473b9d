import HLSMedia
import Testing

@Suite("the choice among tracks beside a file")
struct TrackChoiceTests {
    private static let offers: [TrackChoice.Offer] = [
        .init(isSound: true, language: "en", isDefault: false),
        .init(isSound: true, language: "de-AT", isDefault: true),
        .init(isSound: false, language: "de", isDefault: false),
        .init(isSound: true, language: "eng", isDefault: false),
        .init(isSound: true, language: nil, isDefault: false),
        .init(isSound: false, language: "en-GB", isDefault: false),
        .init(isSound: false, language: "en", isDefault: false),
    ]

    private static func chosen(_ audio: [String], _ subtitles: StreamPreference.Subtitles = .none) -> [Int] {
        TrackChoice.indexes(of: offers, StreamPreference(audio: audio, subtitles: subtitles))
    }

    @Test(
        "of sound one for each wanted language, in that order",
        arguments: [
            ([], [1]), (["en"], [0]), (["de", "en"], [1, 0]), (["en", "de", "en"], [0, 1]), (["fr"], [1]),
            (["fr", "en"], [0]),
            (["*"], [0, 1]), (["de-AT-1996"], [1]),
        ] as [([String], [Int])])
    func sound(wanted: [String], indexes: [Int]) { #expect(Self.chosen(wanted) == indexes) }

    @Test("of subtitles those that are wanted, behind the sound")
    func subtitles() {
        #expect(Self.chosen(["en"], .all) == [0, 2, 5, 6])
        #expect(Self.chosen(["en"], .languages(["en", "de"])) == [0, 5, 6, 2])
        #expect(Self.chosen(["en"], .languages(["fr"])) == [0])
    }

    @Test("without a default the first sound comes, and without sound none")
    func first() {
        let plain = [TrackChoice.Offer(isSound: true, language: nil, isDefault: false)]
        #expect(TrackChoice.indexes(of: plain + plain, StreamPreference()) == [0])
        #expect(TrackChoice.indexes(of: [], StreamPreference(audio: ["en"], subtitles: .all)) == [])
    }
}
