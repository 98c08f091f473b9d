import DownloadStore

extension SearchIndex {
    /// The words of a source, gathered piece by piece.
    package struct Document {
        package let source: Source
        /// The subtitle file, relative to the library; nil for titles.
        package let path: String?
        package let stamp: Int64
        private var counts: [String: Int] = [:]

        package init(_ source: Source, path: String?, stamp: Int64) {
            self.source = source
            self.path = path
            self.stamp = stamp
        }

        /// Adds the words of a text.
        package mutating func add(_ text: String, _ reader: inout WordReader) {
            reader.read(text) { word, _ in counts[word, default: 0] += 1 }
        }

        package mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ reader: inout WordReader) {
            reader.read(text) { word, _ in counts[word, default: 0] += 1 }
        }

        /// From so many times on a word has a step more. A word of a title has the highest.
        static let steps = [3, 8, 20]
        static let titleStep = 4

        /// Marks a word of a step; no word has this character.
        static func marked(_ word: String, step: Int) -> String { "\(word)·\(step)" }

        /// What marks titles, for beginnings of words, which have no steps.
        static let titleMark = "·title"

        /// What the index gets: each word, and once more for each of its steps.
        var indexed: String {
            var text = path == nil ? Self.titleMark + " " : ""
            for (word, count) in counts {
                text += word
                text += " "
                let reached = path == nil ? Self.titleStep : Self.steps.count { count >= $0 }
                for step in 0..<reached {
                    text += Self.marked(word, step: step + 1)
                    text += " "
                }
            }
            return text
        }
    }
}
