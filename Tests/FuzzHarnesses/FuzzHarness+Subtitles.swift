import HLSMedia
import SearchIndex

extension FuzzHarness {
    /// Subtitle files as search reads them, and their words: no more text than bytes, and words that can be asked for.
    static let subtitles = FuzzHarness(
        name: "subtitles",
        texts: [
            "WEBVTT\n\nNOTE x\n\n1\n00:01.500 --> 00:02.000 align:start\n<v Anna>So the <i>eigen-\nvalue</i> &lt; &#955;\n",
            "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}Hello\r\n- there\r\n\r\n2\r\n00:00:03,250 --> 00:00:04,000\r\nBye\r\n",
            "\u{FEFF}WEBVTT\n\n00:00.000 --> 00:01.000\n线性代数 Straße e\u{301} カナ\u{200D}\n",
        ],
        words: [
            "WEBVTT", "00:00:00.000", "00:00:00,000", " --> ", "-->", "\n\n", "\r\n", "\r", "<", ">", "<v ", "{\\", "}",
            "&",
            "&amp;", "&#x", ";", "&#55296;", "-\n", "\"", "*", "线", "性", "é", "\u{301}", "·", "\u{0}",
            "99999:59:59.999",
        ]
    ) { buffer in
        let bytes = Array(buffer)
        var reader = WordReader()
        var taken = 0
        for cue in SubtitleReader.cues(bytes) {
            taken += cue.text.utf8.count
            try promise(cue.start >= 0, "it starts at \(cue.start)")
            var words: [String] = []
            reader.read(cue.text) { word, _ in words.append(word) }
            try promise(words.allSatisfy { !$0.isEmpty && !$0.contains(where: { "\"* ·".contains($0) }) }, "\(words)")
            let query = SearchQuery(cue.text)
            try promise(words.isEmpty == (query == nil), "what is said can't be asked for: \(cue.text)")
            guard let query else { continue }
            var finder = WordFinder(query)
            var found: UInt64 = 0
            var text = cue.text
            let count = text.withUTF8 { finder.find(in: $0) { found |= $0.words } }
            try promise(found == 1 << UInt64(query.words.count) - 1, "what is said isn't found: \(cue.text)")
            try promise(count <= words.count, "\(words.count) words became \(count)")
        }
        // A byte that isn't UTF-8 becomes three.
        try promise(taken <= 3 * bytes.count, "\(bytes.count) bytes became \(taken)")
        return taken > 0
    }
}
