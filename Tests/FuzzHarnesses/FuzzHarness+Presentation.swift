import HLSMedia

extension FuzzHarness {
    /// Presentations: read or refused at a line that is in the text; what can be planned stays within the limits, and
    /// is printed, read and planned again to the same.
    static let presentation = FuzzHarness(
        name: "presentation",
        texts: [
            """
            <?xml version="1.0"?>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1M0.5S">
            <BaseURL>https://cdn/a/</BaseURL>
            <Period start="PT0S"><BaseURL>b/</BaseURL>
            <AdaptationSet mimeType="video/mp4" codecs="avc1.64001f" frameRate="25/1">
            <SegmentTemplate timescale="90000" initialization="$RepresentationID$/i.mp4"
            media="$Bandwidth$/$Number%05d$">
            <SegmentTimeline><S t="0" d="180000" r="2"/><S d="90000"/><S t="900000" d="180000" r="-1"/>
            </SegmentTimeline></SegmentTemplate>
            <Representation id="v" bandwidth="1000000" width="640" height="360"/>
            <Representation id="w" bandwidth="300000" width="320" height="180"/>
            </AdaptationSet>
            <AdaptationSet contentType="audio" lang="en"><Role schemeIdUri="urn:mpeg:dash:role:2011" value="main"/>
            <SegmentTemplate timescale="1000" duration="4000" startNumber="0" media="a$$$Time$.m4s"/>
            <Representation id="a" mimeType="audio/mp4" codecs="mp4a.40.2" bandwidth="64000"/></AdaptationSet>
            <AdaptationSet mimeType="text/vtt" lang="de"><Representation id="t"><BaseURL>t.vtt</BaseURL>
            </Representation></AdaptationSet></Period>
            </MPD>
            """,
            """
            <MPD type="static"><Period duration="PT10S"><AdaptationSet><Representation mimeType="video/mp4" id="1">
            <SegmentList duration="5" timescale="1"><Initialization sourceURL="i" range="0-9"/>
            <SegmentURL media="s1" mediaRange="10-19"/><SegmentURL mediaRange="20-29"/></SegmentList>
            </Representation></AdaptationSet></Period><Period start="PT10S" duration="PT3S"><AdaptationSet>
            <Representation mimeType="video/mp4" id="2"><BaseURL>f.mp4</BaseURL><SegmentBase indexRange="100-199"/>
            </Representation></AdaptationSet></Period>
            </MPD>
            """,
        ],
        words: [
            "<Period>", "</Period>", "<AdaptationSet ", "</AdaptationSet>", "<Representation ", "</Representation>",
            "<SegmentTemplate ", "<SegmentList ", "<SegmentBase indexRange=\"0-9\"/>", "<S d=\"1\" r=\"-1\"/>",
            "<S t=\"9007199254740992\" d=\"9007199254740992\" r=\"1000000000\"/>", "timescale=\"0\"", "timescale=\"1\"",
            "duration=\"1\"", "duration=\"PT1S\"", "endNumber=\"9\"", "n=\"4611686018427387904\"", "$Number$", "$Time$",
            "$$", "$", "%064d", "%0", "<BaseURL>", "</BaseURL>", "../", "//", "?", "#", ":", "xlink:href=\"a\"",
            "type=\"dynamic\"", "<ContentProtection schemeIdUri=\"\"/>", "presentationTimeOffset=\"1\"", "-",
            "9223372036854775807",
            "mimeType=\"audio/webm\"", "\"", "<!DOCTYPE a [", "]>", "&amp;", "\u{0}", "é",
        ]
    ) { buffer in
        let bytes = Array(buffer)
        let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
        do {
            guard let presentation = try Presentation.parse(bytes) else { return false }
            let preference = StreamPreference(quality: [.height(1), .audio], audio: ["en"], subtitles: .all)
            let planner = try PresentationPlanner(presentation, preference: preference)
            let indexes = try planner.indexes.map { try SegmentIndex.read(IndexSeeds.plain, at: $0.range.lowerBound) }
            let source = try planner.source(url: "https://h/a/p.mpd", indexes: indexes)
            for plan in source.tracks { try isPrintable(plan) }
            return true
        } catch is SegmentIndexError {
            return false
        } catch let error as PresentationError {
            try promise((1...lines).contains(error.line), "an error in line \(error.line) of \(lines)")
        } catch let problem as StreamSource.Problem {
            guard case .presentation(let error) = problem else { return false }
            try promise((1...lines).contains(error.line), "an error in line \(error.line) of \(lines)")
        }
        return false
    }

    /// The index within a file: ranges that follow each other behind it.
    static let segmentIndex = FuzzHarness(
        name: "segment-index", seeds: [IndexSeeds.plain, IndexSeeds.long],
        words: ["sidx", "free", "\u{0}\u{0}\u{0}\u{1}", "\u{7F}\u{7F}\u{7F}\u{7F}", "\u{0}\u{0}\u{0}\u{0}"]
    ) { buffer in
        let bytes = Array(buffer)
        // The same bytes as those of WebM, whose order is that of its cues.
        _ = try? SegmentIndex.read(cues: bytes, at: 1000, header: bytes)
        let index: SegmentIndex
        do throws(SegmentIndexError) { index = try SegmentIndex.read(bytes, at: 1000) } catch { return false }
        try promise(
            !index.entries.isEmpty && index.entries.count <= bytes.count / 12, "\(index.entries.count) segments")
        var end: Int64 = 1000
        for entry in index.entries {
            try promise(entry.range.lowerBound >= end && !entry.range.isEmpty, "\(entry.range) after \(end)")
            try promise(entry.start.isFinite && (0...PlaylistLimit.seconds).contains(entry.duration), "\(entry)")
            end = entry.range.upperBound
        }
        try promise(end <= PlaylistLimit.size, "it ends at \(end)")
        return true
    }

    private static func isPrintable(_ plan: StreamPlan) throws(BrokenPromise) {
        try promise(
            plan.segments.count <= PlaylistLimit.segments && plan.addressBytes <= StreamPlan.addressLimit,
            "\(plan.segments.count) segments with \(plan.addressBytes) bytes")
        try promise(plan.segments.allSatisfy { (0...PlaylistLimit.seconds).contains($0.duration) }, "a duration")
        guard plan.segments.count < 1000 else { return }
        let text = plan.text()
        guard case .media(let again)? = try? Playlist.parse(Array(text.utf8)),
            let copy = try? StreamPlan.make(again, url: "https://h/")
        else { throw BrokenPromise(description: "a printed plan can't be read:\n\(text)") }
        try promise(
            copy.segments == plan.segments && copy.maps == plan.maps, "a printed plan is another one:\n\(text)")
    }
}

/// Indexes made by hand.
private enum IndexSeeds {
    static let plain = box([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 232, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 2] + references)
    static let long = box(
        [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3, 232] + [0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 2]
            + references)

    private static let references: [UInt8] = [
        0, 0, 1, 0, 0, 0, 3, 232, 144, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 244, 144, 0, 0, 0,
    ]

    private static func box(_ body: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(body.count + 8)] + Array("sidx".utf8) + body
    }
}
