import NetworkAddresses
import Testing

@testable import HLSMedia

@Suite("the plan of a presentation")
struct PresentationPlanTests {
    @Test("a template with numbers and one duration: as many segments as begin in the period, the last one shorter")
    func numbers() throws {
        let plan = try ParsedPresentation.plan(
            """
            <SegmentTemplate timescale="1000" duration="4000" startNumber="7" initialization="$RepresentationID$/i.mp4"
                media="$RepresentationID$/$Bandwidth$/$$-$Number%05d$.m4s"/>
            """)
        #expect(plan.segments.map(\.url) == (7...9).map { "https://h/a/v/900000/$-0000\($0).m4s" })
        #expect(plan.segments.map(\.duration) == [4, 4, 2])
        #expect(plan.segments.map(\.map) == [0, 0, 0])
        #expect(plan.maps == [PlannedMap(url: "https://h/a/v/i.mp4")])
        #expect(plan.seconds == 10 && plan.targetDuration == 4)
    }

    @Test(
        "a duration that exceeds a segment by rounding only doesn't make another one",
        arguments: [("PT10.0001S", 5), ("PT10.01S", 6), ("PT9.999S", 5)])
    func rounding(_ total: String, _ count: Int) throws {
        let plan = try ParsedPresentation.plan(
            "<SegmentTemplate duration=\"2\" media=\"$Number$\"/>", "mediaPresentationDuration=\"\(total)\"")
        #expect(plan.segments.count == count)
    }

    @Test("a timeline gives times and durations; one without an end goes on to the next run, or to the period's end")
    func timeline() throws {
        let plan = try ParsedPresentation.plan(
            """
            <SegmentTemplate timescale="10" presentationTimeOffset="100" media="$Time$/$Number$">
            <SegmentTimeline>
            <S t="100" d="20" r="1"/>
            <S d="10"/>
            <S t="150" d="10" r="-1"/>
            <S t="170" d="9" r="-1"/>
            </SegmentTimeline></SegmentTemplate>
            """)
        #expect(
            plan.segments.map(\.url)
                == ["100/1", "120/2", "140/3", "150/4", "160/5", "170/6", "179/7", "188/8", "197/9"]
                .map { "https://h/a/" + $0 })
        #expect(plan.segments.map(\.duration) == [2, 2, 1, 1, 1, 0.9, 0.9, 0.9, 0.9])
        #expect(plan.timeOffset == 10)
    }

    @Test("a list names its segments by address or range, and its initialization section")
    func list() throws {
        let plan = try ParsedPresentation.plan(
            """
            <BaseURL>all.mp4</BaseURL>
            <SegmentList duration="5"><Initialization range="0-99"/>
            <SegmentURL mediaRange="100-199"/><SegmentURL media="other.mp4" mediaRange="0-9"/></SegmentList>
            """)
        #expect(plan.segments.map(\.url) == ["https://h/a/all.mp4", "https://h/a/other.mp4"])
        #expect(plan.segments.map(\.range) == [100..<200, 0..<10])
        #expect(plan.maps == [PlannedMap(url: "https://h/a/all.mp4", range: 0..<100)])
    }

    @Test("what an element leaves out is that of the element around it, base addresses included")
    func levels() throws {
        let source = try ParsedPresentation.source(
            ParsedPresentation.text(
                """
                <BaseURL>x/</BaseURL>
                <Period><BaseURL>y/z</BaseURL>
                <SegmentTemplate timescale="2" startNumber="5" media="$Number$.m4s"/>
                <AdaptationSet contentType="video" mimeType="video/mp4" codecs="avc1.64001f" width="2" height="2">
                <BaseURL>w/</BaseURL>
                <SegmentTemplate duration="10"><Initialization sourceURL="i.mp4"/></SegmentTemplate>
                <Representation id="1" bandwidth="1"><BaseURL>../v/</BaseURL><SegmentTemplate startNumber="6"/>
                </Representation></AdaptationSet></Period>
                """))
        #expect(source.tracks[0].segments.map(\.url) == ["https://h/a/x/y/v/6.m4s", "https://h/a/x/y/v/7.m4s"])
        #expect(source.tracks[0].maps.map(\.url) == ["https://h/a/x/y/v/i.mp4"])
        #expect(source.codecs == ["avc1.64001f"])
    }

    @Test("an index gives the ranges of one file; without one the file is a single segment")
    func index() throws {
        let file = "<BaseURL>f.mp4</BaseURL>"
        let text = ParsedPresentation.text(
            ParsedPresentation.picture(file + "<SegmentBase indexRange=\"800-899\" timescale=\"9\"/>"))
        let presentation = try #require(try Presentation.parse(Array(text.utf8)))
        let planner = try PresentationPlanner(presentation, preference: StreamPreference())
        #expect(planner.indexes.map(\.uri) == ["f.mp4"] && planner.indexes.map(\.range) == [800..<900])
        let bytes = IndexBytes.box(timescale: 100, first: 50, gap: 0, [(1000, 500), (500, 450)])
        let read = try SegmentIndex.read(bytes, at: 800)
        let plan = try planner.source(url: ParsedPresentation.url, scope: .world, indexes: [read]).tracks[0]
        let start = 800 + Int64(bytes.count)
        #expect(plan.segments.map(\.range) == [start..<start + 1000, start + 1000..<start + 1500])
        #expect(plan.segments.map(\.duration) == [5, 4.5])
        #expect(plan.maps == [PlannedMap(url: "https://h/a/f.mp4", range: 0..<800)])

        let whole = try ParsedPresentation.plan(file)
        #expect(whole.segments == [PlannedSegment(url: "https://h/a/f.mp4", duration: 10, sequence: 0)])
        // There is nothing before this index that could be an initialization section.
        #expect(try ParsedPresentation.plan(file + "<SegmentBase indexRange=\"0-9\"/>").segments == whole.segments)
    }

    @Test("each period begins with a discontinuity; of a file that several share each has its own part")
    func periods() throws {
        func period(_ offset: Int, _ attributes: String, _ content: String = "") -> String {
            """
            <Period \(attributes)><AdaptationSet mimeType="video/mp4"><Representation id="v" bandwidth="9">
            <SegmentTemplate media="s$Time$" initialization="i" presentationTimeOffset="\(offset)">
            <SegmentTimeline><S t="0" d="5" r="3"/></SegmentTimeline></SegmentTemplate>\(content)
            </Representation></AdaptationSet></Period>
            """
        }
        let plan = try ParsedPresentation.source(
            ParsedPresentation.text(
                period(0, "duration=\"PT10S\"") + "<Period duration=\"PT0S\"/>" + period(10, "start=\"PT10S\""), "")
        ).tracks[0]
        #expect(plan.segments.map(\.url) == ["s0", "s5", "s10", "s15"].map { "https://h/a/" + $0 })
        #expect(plan.segments.map(\.startsDiscontinuity) == [false, false, true, false])
        #expect(plan.segments.map(\.sequence) == [0, 1, 2, 3])
    }

    @Test("another token in the address of the presentation leaves the digest as it is; another name doesn't")
    func digest() throws {
        func digest(_ base: String, _ name: String = "$Number$.m4s", _ more: String = "") throws -> [UInt8] {
            try ParsedPresentation.source(
                ParsedPresentation.text(
                    "<BaseURL>\(base)</BaseURL>"
                        + ParsedPresentation.picture("<SegmentTemplate duration=\"2\" media=\"\(name)\"/>", more))
            )
            .digest
        }
        let size = "width=\"2\" height=\"2\" bandwidth=\"2\""
        #expect(try digest("https://h/token-1/", "$Number$", size) == digest("https://h/token-2/", "$Number$", size))
        #expect(try digest("a/", "$Number$", size) != digest("b/", "$Number$", size))
        #expect(try digest("a/", "$Number$", size) != digest("a/", "$Number$", size + " codecs=\"avc1\""))
    }
}
