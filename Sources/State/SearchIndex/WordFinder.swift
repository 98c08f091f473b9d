/// Finds the words of a query in texts. A text in ASCII is compared byte by byte, without a string for each word.
package struct WordFinder {
    package struct Found: Sendable {
        /// A bit for each word of the query that it is.
        package var words: UInt64
        /// Its place among the words of the text. Nil for the last character of a run, which isn't a word of its own.
        package var place: Int?
    }

    private let words: [SearchQuery.Word]
    /// The words' bytes, one after the other, and where each one's are.
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]
    /// For each byte a bit of each word that begins with it; for capital letters those of the small ones.
    private let beginning: [UInt64]
    private var reader = WordReader()

    package init(_ query: SearchQuery) {
        words = query.words
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        var beginning = [UInt64](repeating: 0, count: 256)
        for (index, word) in query.words.enumerated() {
            ranges.append(bytes.count..<(bytes.count + word.text.utf8.count))
            bytes += word.text.utf8
            guard let first = word.text.utf8.first else { continue }
            beginning[Int(first)] |= 1 << UInt64(index)
            if (0x61...0x7A).contains(first) { beginning[Int(first ^ 0x20)] |= 1 << UInt64(index) }
        }
        (self.bytes, self.ranges, self.beginning) = (bytes, ranges, beginning)
    }

    /// Calls `body` with each word of the text that is one of the query's, in the order of the text.
    ///
    /// - Returns: the number of words.
    package mutating func find(in text: UnsafeBufferPointer<UInt8>, _ body: (Found) -> Void) -> Int {
        if text.reduce(0, |) < 0x80 { return findInASCII(text, body) }
        var count = 0
        reader.read(text) { word, kind in
            var own: UInt64 = 0
            for (index, wanted) in words.enumerated() where wanted.matches(word) { own |= 1 << UInt64(index) }
            var place: Int? = count
            if case .last(isAlone: false) = kind { place = nil } else { count += 1 }
            if own != 0 { body(Found(words: own, place: place)) }
        }
        return count
    }

    private func findInASCII(_ text: UnsafeBufferPointer<UInt8>, _ body: (Found) -> Void) -> Int {
        var (index, count) = (0, 0)
        while true {
            while index < text.count, !Self.isPart(text[index]) { index += 1 }
            guard index < text.count else { return count }
            let start = index
            while index < text.count, Self.isPart(text[index]) { index += 1 }
            let candidates = beginning[Int(text[start])]
            if candidates != 0 {
                let end = min(index, start + WordReader.longest)
                let own = matching(UnsafeBufferPointer(rebasing: text[start..<end]), candidates)
                if own != 0 { body(Found(words: own, place: count)) }
            }
            count += 1
        }
    }

    /// Whether a byte of ASCII is a letter or a digit.
    private static func isPart(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 }

    /// Those of the candidates that a word in ASCII is.
    private func matching(_ word: UnsafeBufferPointer<UInt8>, _ candidates: UInt64) -> UInt64 {
        var (rest, own) = (candidates, 0 as UInt64)
        while rest != 0 {
            let index = rest.trailingZeroBitCount
            rest &= rest - 1
            let wanted = ranges[index]
            guard wanted.count == word.count || (wanted.count < word.count && words[index].isPrefix) else { continue }
            // Of letters this is the small one, and digits have the bit already.
            if wanted.allSatisfy({ bytes[$0] == word[$0 - wanted.lowerBound] | 0x20 }) {
                own |= 1 << UInt64(index)
            }
        }
        return own
    }
}
