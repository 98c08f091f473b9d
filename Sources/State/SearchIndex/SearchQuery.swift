/// What a person asks for: all of these words, in any order. Words in quotation marks follow each other, and a word
/// with `*` at its end is the beginning of words.
package struct SearchQuery: Sendable, Equatable {
    /// A word, or a pair of characters.
    package struct Word: Sendable, Hashable {
        package var text: String
        /// Whether it is the beginning of words.
        package var isPrefix = false

        package func matches(_ other: String) -> Bool {
            // As the index compares them: a mark may follow the last letter of a beginning.
            isPrefix ? other.utf8.starts(with: text.utf8) : other == text
        }
    }

    /// Each word once.
    package private(set) var words: [Word] = []
    /// Those that have to follow each other.
    package private(set) var phrases: [[Word]] = []

    /// The limit on words: more are left out.
    private static let mostWords = 32

    /// Nil without a word.
    package init?(_ text: String) {
        var reader = WordReader()
        // By scalars, as the words are read: a mark makes one character with the blank before it.
        let parts = text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
        for (number, part) in parts.enumerated() {
            if number % 2 == 1 {
                add(Self.words(of: String(part), &reader))
            } else {
                for piece in part.split(whereSeparator: \.properties.isWhitespace) {
                    var words = Self.words(of: String(piece), &reader)
                    if piece.last == "*", let last = words.indices.last { words[last].isPrefix = true }
                    // What a hyphen or an apostrophe joins, and the pairs of a run, belong together.
                    add(words)
                }
            }
        }
        if words.isEmpty { return nil }
    }

    /// The same with each longer word as the beginning of words.
    package var widened: SearchQuery {
        func widen(_ word: Word) -> Word {
            // A pair of characters is a beginning of nothing longer.
            Word(text: word.text, isPrefix: word.isPrefix || word.text.count >= 3)
        }
        var query = self
        query.words = words.map(widen)
        query.phrases = phrases.map { $0.map(widen) }
        return query
    }

    private mutating func add(_ more: [Word]) {
        let more = Array(more.prefix(Self.mostWords - words.count))
        for word in more where !words.contains(word) { words.append(word) }
        if more.count > 1 { phrases.append(more) }
    }

    private static func words(of text: String, _ reader: inout WordReader) -> [Word] {
        var words: [Word] = []
        reader.read(text) { word, kind in
            switch kind {
            case .word, .pair: words.append(Word(text: word))
            // A single character is found at the beginning of a pair, or at the end of a run.
            case .last(isAlone: true): words.append(Word(text: word, isPrefix: true))
            case .last(isAlone: false): break
            }
        }
        return words
    }
}
