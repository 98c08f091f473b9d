import CourseCatalog
import FileSystem
import SystemPackage
import TestSupport
import Testing

@testable import DownloadJobs
@testable import DownloadRunner
@testable import HLSMedia

@Suite("Digests in the state")
struct StoredDigestTests {
    @Test("the digest of a stream's requests is the same in the next version")
    func stream() throws {
        let url = "https://h/x/y.m3u8"
        let text = """
            #EXTM3U
            #EXT-X-MAP:URI="m",BYTERANGE="5@0"
            #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x1
            #EXTINF:2.0,
            /t/ä?q
            #EXT-X-GAP
            #EXTINF:2.0,
            b
            #EXT-X-ENDLIST
            """
        guard case .media(let media) = try Playlist.parse(Array(text.utf8), url: url) else {
            Issue.record("not a media playlist")
            return
        }
        let plan = try StreamPlan.make(media, url: url)
        let source = StreamSource(tracks: [plan, plan], digest: [], seconds: 1)
        #expect(source.contentDigest.hex == "1a1a7f1541b7cdea056fcf45d27704056825a4477778a939b1645ff3aaa02fad")
    }

    @Test("the progress of a stream is read as it is written")
    func progress() throws {
        let plan = [UInt8](repeating: 0xFF, count: 32)
        let base64 = String(repeating: #"\/"#, count: 42) + "8="
        let written = #"{"plan":"\#(base64)","tracks":[{"next":3,"bytes":9007199254740991}],"seconds":12.5}"#
        let record = try #require(StreamRecord(text: written))
        let track = StreamRecord.Track(next: 3, bytes: 9_007_199_254_740_991)
        #expect(record == StreamRecord(plan: StreamLayoutDigest(plan), tracks: [track], seconds: 12.5))
        let text = try #require(record.text)
        #expect(StreamRecord(text: text) == record)
        #expect(StreamRecord(text: written.replacing("8=", with: "8")) == nil)
    }

    @Test("the digest of what only the catalog knows of a course is the same in the next version")
    func course() throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            version: 1
            defaults: {provider: direct, parameters: {base: "http://h"}}
            courses:
              - id: c
                description: Über alles
                chapters:
                  - {id: k, videos: [{id: a, date: 2026-11-20}, b, {id: d, description: D}]}
                  - {id: l, description: L, videos: [e]}
            """, to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        let digest = CourseFacts.digest(of: reading.catalog.courses[0])
        #expect(digest == "c18a8ae0701c9d53990b0abece1260d7fbd23cdf9ca1d3dc3be45a7b67f2383f")
    }
}
