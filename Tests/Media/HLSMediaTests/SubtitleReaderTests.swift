import HLSMedia
import Testing

@Suite("Subtitle files as plain text")
struct SubtitleReaderTests {
    private func read(_ text: String) -> [SubtitleReader.Cue] { SubtitleReader.cues(Array(text.utf8)) }

    @Test("WebVTT: identifiers, notes, styles and tags are no text")
    func webVTT() {
        let text = """
            WEBVTT - title

            STYLE
            ::cue { color: red }

            NOTE not said

            1
            00:01.500 --> 00:02.000 align:start
            <v Anna>So the <i>eigen-
            value</i> &lt; 1 &amp; a&nbsp;b &#955;&#x3bb;

            01:00:04.000 --> 01:00:05.000
            a < b
            next line
            00:00:06.000 --> 00:00:07.000
            without an empty line
            """
        #expect(
            read(text) == [
                .init(start: 1500, text: "So the eigenvalue < 1 & a b λλ"),
                .init(start: 3_604_000, text: "a < b next line"),
                .init(start: 6000, text: "without an empty line"),
            ])
    }

    @Test("SubRip: numbers, commas, CR LF and positions")
    func subRip() {
        let text =
            "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}Hello\r\n- there\r\n\r\n2\r\n00:00:03,250 --> 00:00:04,000\r\nBye\r\n"
        #expect(read(text) == [.init(start: 1000, text: "Hello - there"), .init(start: 3250, text: "Bye")])
        #expect(read(text.replacing("\r\n", with: "\r")) == read(text))
    }

    @Test(
        "what isn't a subtitle file has no cues",
        arguments: [
            "", "\n\n\n", "<html>-->", "-->", "00:00.000 --", "99:99:99.000 --> 00:00:01.000\nx", "a --> b\nc",
            "\u{FEFF}",
        ])
    func others(text: String) { #expect(read(text) == []) }

    @Test("only what is a tag is left out, and a run of Chinese goes over the end of a line")
    func tags() {
        let time = "00:00.000 --> 00:01.000\n"
        #expect(read(time + "if p<q then r>s <c.x>ok</c><00:00:01.000>").map(\.text) == ["if p<q then r>s ok"])
        #expect(read(time + "特征\n值 x\n值").map(\.text) == ["特征值 x 值"])
    }

    @Test("an unfinished tag or entity is text")
    func unfinished() {
        #expect(read("00:00.000 --> 00:01.000\n<b &amp &#xFFFFFFFF; {x}").map(\.text) == ["<b &amp &#xFFFFFFFF; {x}"])
    }
}
