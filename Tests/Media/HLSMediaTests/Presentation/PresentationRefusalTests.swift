import Testing

@testable import HLSMedia

@Suite("presentations that aren't downloaded")
struct PresentationRefusalTests {
    private static let template = "<SegmentTemplate duration=\"2\" media=\"$Number$\"/>"

    @Test(
        "impossible, enormous and missing numbers are refused before anything is made of them",
        arguments: [
            ("<SegmentTemplate duration=\"0\" media=\"$Number$\"/>", .value("duration")),
            ("<SegmentTemplate duration=\"-2\" media=\"$Number$\"/>", .value("duration")),
            ("<SegmentTemplate duration=\"1e3\" media=\"$Number$\"/>", .value("duration")),
            ("<SegmentTemplate duration=\"99999999999999999999\" media=\"$Number$\"/>", .value("duration")),
            ("<SegmentTemplate duration=\"2\" timescale=\"0\" media=\"$Number$\"/>", .value("timescale")),
            ("<SegmentTemplate duration=\"2\" timescale=\"-1\" media=\"$Number$\"/>", .value("timescale")),
            ("<SegmentTemplate duration=\"1\" timescale=\"4294967295\" media=\"$Number$\"/>", .tooMany(.segments)),
            ("<SegmentTemplate duration=\"2\" endNumber=\"9000000000000000\" media=\"a\"/>", .tooMany(.segments)),
            ("<SegmentTemplate duration=\"9007199254740992\" endNumber=\"99999\" media=\"a\"/>", .value("duration")),
            ("<SegmentTemplate media=\"$Number$\"/>", .noDuration),
            ("<SegmentTemplate duration=\"2\"/>", .noAddress),
            ("<SegmentList duration=\"2\"/>", .noAddress),
            ("<SegmentList><SegmentURL media=\"a\"/><SegmentURL media=\"b\"/></SegmentList>", .noDuration),
            ("<SegmentList duration=\"1\"><SegmentURL mediaRange=\"9-1\"/></SegmentList>", .value("mediaRange")),
            ("<SegmentList duration=\"1\"><SegmentURL mediaRange=\"9-\"/></SegmentList>", .value("mediaRange")),
            ("<SegmentBase indexRange=\"0-9007199254740992\"/>", .value("indexRange")),
            ("<SegmentTemplate duration=\"2\" media=\"$SubNumber$\"/>", .template),
            ("<SegmentTemplate duration=\"2\" media=\"$Number%099999d$\"/>", .template),
            ("<SegmentTemplate duration=\"2\" media=\"$Number\"/>", .template),
        ] as [(String, PresentationError.Fact)])
    func numbers(segments: String, fact: PresentationError.Fact) {
        #expect(ParsedPresentation.fact(segments) == fact)
    }

    @Test(
        "so are those of a timeline",
        arguments: [
            ("<S d=\"1\" r=\"1000000000\"/>", .tooMany(.segments)),
            ("<S d=\"1\" r=\"9223372036854775807\"/>", .value("r")),
            ("<S d=\"1\" r=\"-2\"/>", .value("r")),
            ("<S d=\"0\" r=\"3\"/>", .value("d")), ("<S t=\"1\"/>", .value("d")),
            ("<S d=\"1\" r=\"60000\"/><S d=\"1\" r=\"60000\"/>", .tooMany(.segments)),
            ("<S t=\"-1\" d=\"1\"/>", .value("t")),
            ("<S d=\"9007199254740992\" r=\"9\"/>", .value("duration")),
            ("<S t=\"9007199254740992\" d=\"1\" r=\"-1\"/><S t=\"0\" d=\"1\" r=\"-1\"/>", nil),
        ] as [(String, PresentationError.Fact?)])
    func timelines(runs: String, fact: PresentationError.Fact?) {
        let segments = "<SegmentTemplate media=\"$Time$\"><SegmentTimeline>\(runs)</SegmentTimeline></SegmentTemplate>"
        #expect(ParsedPresentation.fact(segments) == fact)
    }

    @Test(
        "durations of periods are neither negative, endless nor of years",
        arguments: ["-PT10S", "PT", "P1Y", "PT1e9S", "PT99999999999H", "10", "PT5", "PTS", "P1H"])
    func durations(text: String) {
        #expect(PresentationDuration.seconds(text) == nil)
        #expect(
            ParsedPresentation.fact(Self.template, "mediaPresentationDuration=\"\(text)\"")
                == .value("mediaPresentationDuration"))
    }

    @Test(
        "durations of XML Schema are read",
        arguments: [("PT0S", 0), ("P1DT2H3M4.5S", 93_784.5), (" PT1.25S ", 1.25), ("P0Y0M0DT1M", 60)])
    func seconds(text: String, seconds: Double) { #expect(PresentationDuration.seconds(text) == seconds) }

    @Test("segments with long addresses are refused before they fill the memory")
    func addresses() {
        let name = String(repeating: "a", count: 60_000)
        let segments = "<SegmentTemplate duration=\"1\" timescale=\"1000\" media=\"\(name)$Number$\"/>"
        #expect(ParsedPresentation.fact(segments) == .tooLong)
        let file = "<BaseURL>\(String(repeating: "b", count: 70_000))</BaseURL>" + segments
        #expect(ParsedPresentation.fact(file) == .value("BaseURL"))
    }

    @Test("without a known end nothing says how many segments there are")
    func endless() { #expect(ParsedPresentation.fact(Self.template, "") == .noDuration) }

    @Test("more periods or representations than there is a use for are refused")
    func many() {
        let periods = String(repeating: "<Period/>", count: 1001)
        #expect(
            ParsedPresentation.problem(ParsedPresentation.text(periods))
                == .presentation(PresentationError(.tooMany(.periods), line: 1)))
        let sounds = (0..<101).map { "<Representation id=\"\($0)\" bandwidth=\"\($0)\"/>" }.joined()
        let pictures = (0..<50).map { "<Representation id=\"v\($0)\"/>" }.joined()
        let text = ParsedPresentation.text(
            "<Period><AdaptationSet mimeType=\"audio/mp4\">\(sounds)</AdaptationSet>"
                + "<AdaptationSet mimeType=\"video/mp4\">\(pictures)</AdaptationSet></Period>")
        #expect(
            ParsedPresentation.problem(text) == .presentation(PresentationError(.tooMany(.representations), line: 2)))
    }

    @Test(
        "a part that is in another document is refused with its line; one that resolves to nothing is left out",
        arguments: ["Period", "AdaptationSet", "SegmentList", "SegmentTimeline"])
    func elsewhere(name: String) {
        let link = "xlink:href=\"https://other/\""
        let inner =
            name.hasPrefix("Segment")
            ? ParsedPresentation.picture(
                name == "SegmentList"
                    ? "<SegmentList \(link)/>" : "<SegmentTemplate><SegmentTimeline \(link)/></SegmentTemplate>")
            : name == "Period" ? "<Period \(link)/>" : "<Period><AdaptationSet \(link)/></Period>"
        let text = ParsedPresentation.text(inner)
        guard case .presentation(let error)? = ParsedPresentation.problem(text) else {
            Issue.record("\(name) isn't refused")
            return
        }
        #expect(error.fact == .isElsewhere && error.line >= 2)
        let nothing = "<Period xlink:href=\"urn:mpeg:dash:resolve-to-zero:2013\"/>"
        #expect(
            ParsedPresentation.problem(ParsedPresentation.text(nothing + ParsedPresentation.picture(Self.template)))
                == nil)
    }

    @Test(
        "protected media is refused by the name of the system, where that is known",
        arguments: [
            ("urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED", "Widevine"),
            ("urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "PlayReady"),
            ("urn:uuid:94ce86fb-07ff-4f43-adb8-93d2fa968ca2", "FairPlay"), ("urn:other", "Common Encryption"),
        ])
    func protected(scheme: String, system: String) {
        let protection = """
            <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc"/>
            <ContentProtection schemeIdUri="\(scheme)"/>
            """
        let text = ParsedPresentation.text(ParsedPresentation.picture(protection + Self.template))
        #expect(ParsedPresentation.problem(text) == .refusal(.drm(system: system)))
        // Of what isn't chosen nobody asks.
        let other = "<Representation id=\"w\" width=\"1280\" height=\"720\">\(Self.template)</Representation>"
        let free = text.replacing("</AdaptationSet>", with: other + "</AdaptationSet>")
        #expect(ParsedPresentation.problem(free) == nil)
    }

    @Test("one that still changes isn't ready, whatever else it says; one without media is empty")
    func dynamic() {
        let text = ParsedPresentation.text("<Period xlink:href=\"https://other/\"/>")
        #expect(
            ParsedPresentation.problem(text.replacing("static", with: "dynamic")) == .refusal(.notReady))
        #expect(ParsedPresentation.problem(ParsedPresentation.text("<Period/>")) == .refusal(.empty))
    }

    @Test("periods of different kinds can't be one stream")
    func unlike() {
        let sound = """
            <Period duration="PT10S"><AdaptationSet mimeType="audio/mp4"><Representation id="a">
            \(Self.template)</Representation></AdaptationSet></Period>
            """
        let picture = ParsedPresentation.picture(Self.template).replacing(
            "<Period>", with: "<Period duration=\"PT10S\">")
        guard case .presentation(let error)? = ParsedPresentation.problem(ParsedPresentation.text(picture + sound))
        else {
            Issue.record("it isn't refused")
            return
        }
        #expect(error.fact == .unlikePeriods)
    }

    @Test("a page isn't a presentation; a truncated one is told with the reader's words")
    func pages() throws {
        for page in ["", "{}", "<!DOCTYPE html><html><body>Log in</body></html>", "<html/>", "#EXTM3U\n"] {
            #expect(try Presentation.parse(Array(page.utf8)) == nil, "\(page)")
        }
        let text = ParsedPresentation.text(ParsedPresentation.picture(Self.template))
        #expect(throws: PresentationError.self) { try Presentation.parse(Array(text.dropLast(3).utf8)) }
        let subset = "<!DOCTYPE MPD [<!ENTITY a \"b\">]>" + text
        #expect(throws: PresentationError.self) { try Presentation.parse(Array(subset.utf8)) }
    }
}
