import HLSMedia
import SystemPackage
import Testing

@testable import DownloadJobs

@Suite("Joining what came without ffmpeg")
struct LateJoinTests {
    private static let join = LateJoin(
        view: "slides", picture: .init(kind: MediaKind.fragmentedMP4.rawValue, delay: 0.5),
        sound: [.init(part: "slides: audio de", kind: MediaKind.adts.rawValue, language: "de", title: "Deutsch")],
        subtitles: [.init(part: "slides: subtitle en", language: "en")], keepsOwnSound: true, pictureSeconds: 9)

    @Test("it is read from the state as it was written; what can't be is nothing to join")
    func stored() throws {
        let text = try #require(LateJoin.text([Self.join]))
        #expect(LateJoin.all(in: text) == [Self.join])
        #expect(LateJoin.text([]) == nil)
        for damaged in [nil, "", "{}", "[1]", text.replacing("0.5", with: "-1"), String(text.dropLast(3))] {
            #expect(LateJoin.all(in: damaged).isEmpty, "\(damaged ?? "-")")
        }
        #expect(Set(MediaKind.allCases.map(\.rawValue)).isSuperset(of: ["transportStream", "fragmentedMP4", "adts"]))
    }

    @Test("ffmpeg gets the files in the order of the catalog, each with what was said of it")
    func job() throws {
        let job = try #require(Self.join.job(["/l/a.mp4", "/l/b.aac", "/l/c.srt"], writing: "/p/o"))
        #expect(job.video.path == "/l/a.mp4" && job.video.delay == 0.5)
        #expect(job.audio.map(\.path) == ["/l/b.aac"] && job.audio.map(\.title) == ["Deutsch"])
        #expect(job.subtitles.map(\.format) == ["srt"] && job.keepsOwnSound)
        #expect(Self.join.lengths.map(\.seconds) == [9])
        var unknown = Self.join
        unknown.sound[0].kind = "wax"
        #expect(unknown.job(["/l/a.mp4", "/l/b.aac", "/l/c.srt"], writing: "/p/o") == nil)
    }
}
