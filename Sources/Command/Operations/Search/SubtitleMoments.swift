import Dispatch
import DownloadStore
import Foundation
import HLSMedia
import MediaLibrary
import SearchIndex
import Synchronization

/// Where in a video something is said.
package struct SubtitleMoment: Sendable, Equatable {
    /// In milliseconds from the beginning.
    package var start: Int64
    package var text: String
    /// The name of its subtitles, mostly their language.
    package var language: String

    package init(start: Int64, text: String, language: String) {
        self.start = start
        self.text = text
        self.language = language
    }
}

/// Finds the places of a query in texts, which the index doesn't know.
struct SubtitleMoments {
    /// So many cues in a row can have the words together.
    private static let width = 3
    /// A repeated text within this time, in milliseconds, is a caption that rolls.
    private static let rolling: Int64 = 10_000

    /// A longer text isn't compared, in bytes: each of its places may have to be.
    private static let longestCaption = 2000
    /// So many words of the query in a text are compared with its phrases; the rest isn't. A lecture has 10,000 words.
    private static let mostSpoken = 1 << 18
    /// Larger files are compared one at a time, in bytes.
    private static let large = 1 << 20

    private struct Cue {
        var start: Int64
        /// Its bytes among those of all.
        var text: Range<Int>
        /// A bit for each word of the query that it has.
        var words: UInt64
    }

    /// A word of the query in a text.
    private struct Spoken {
        var cue: Int
        /// Its place among the words of the text.
        var place: Int
        /// A bit for each word of the query that it is.
        var words: UInt64
    }

    private let query: SearchQuery
    private let all: UInt64
    /// The bits of each phrase's words.
    private let phrases: [[UInt64]]
    private var finder: WordFinder
    private var reader = WordReader()
    /// The query's words in the text that is read, in the order of the text; empty if the query has no phrase.
    private var spoken: [Spoken] = []
    /// The bytes of all cues.
    private var said: [UInt8] = []

    init(_ query: SearchQuery) {
        self.query = query
        all = query.words.indices.reduce(0) { $0 | 1 << UInt64($1) }
        finder = WordFinder(query)
        phrases = query.phrases.map { phrase in
            phrase.map { word in query.words.firstIndex(of: word).map { 1 << UInt64($0) } ?? 0 }
        }
    }

    /// Whether a text that has all words has the phrases, too.
    mutating func proves(_ text: String) -> Bool {
        query.phrases.allSatisfy { has($0, in: text) }
    }

    /// The places in each of these files, by ``find(in:language:)``; nil also for one that can't be read. On up to four
    /// processors, since to read the texts is most of a search.
    func find(in files: [SubtitleFile], of library: LibraryFolder?) -> [[SubtitleMoment]?] {
        let found = Mutex([[SubtitleMoment]?](repeating: nil, count: files.count))
        let next = Atomic(0)
        let largeFile = Mutex(())
        let workers = min(ProcessInfo.processInfo.activeProcessorCount, files.count, 4)
        DispatchQueue.concurrentPerform(iterations: workers) { _ in
            var moments = self
            while case let index = next.add(1, ordering: .relaxed).oldValue, index < files.count {
                let language = files[index].name
                guard let bytes = SearchUpdate.bytes(of: files[index], in: library) else { continue }
                let places =
                    bytes.count > Self.large
                    ? largeFile.withLock { _ in moments.find(in: bytes, language: language) }
                    : moments.find(in: bytes, language: language)
                found.withLock { $0[index] = places }
            }
        }
        return found.withLock { $0 }
    }

    /// The places in a subtitle file, in their order: those with all words, or else those with the most of them. Nil if
    /// it doesn't have the phrases.
    mutating func find(in bytes: [UInt8], language: String) -> [SubtitleMoment]? {
        let cues = cues(of: bytes)
        var proven: [Range<Int>] = []
        for phrase in phrases {
            let windows = windows(having: phrase)
            guard !windows.isEmpty else { return nil }
            proven += windows
        }
        var found = windows(of: cues)
        if !proven.isEmpty {
            proven.sort { $0.lowerBound < $1.lowerBound }
            found = found.having(proven) + proven
        }
        if found.isEmpty {
            let most = cues.map(\.words.nonzeroBitCount).max() ?? 0
            found = cues.indices.filter { most > 0 && cues[$0].words.nonzeroBitCount == most }.map { $0..<($0 + 1) }
        }
        var moments: [SubtitleMoment] = []
        var previous: SubtitleMoment?
        var end = 0
        for window in found.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) })
        where window.lowerBound >= end {
            end = window.upperBound
            let moment = SubtitleMoment(
                start: cues[window.lowerBound].start, text: text(of: cues[window]), language: language)
            if !(previous.map { isRolling($0, to: moment) } ?? false) { moments.append(moment) }
            previous = moment
        }
        return moments
    }

    /// Whether the second one shows lines of the first one again.
    private func isRolling(_ one: SubtitleMoment, to next: SubtitleMoment) -> Bool {
        next.start - one.start < Self.rolling
            && (Self.contains(one.text, next.text) || Self.contains(next.text, one.text))
    }

    /// Whether the bytes of a text have those of another one: a search by characters takes a hundred times as long.
    private static func contains(_ text: String, _ part: String) -> Bool {
        guard text.utf8.count <= longestCaption else { return false }
        var (text, part) = (text, part)
        return text.withUTF8 { text in
            part.withUTF8 { part in
                guard let start = text.baseAddress, let other = part.baseAddress else { return part.isEmpty }
                var place = 0
                while place + part.count <= text.count {
                    let rest = text.count - part.count - place + 1
                    guard let found = memchr(start + place, CInt(part[0]), rest) else { return false }
                    if memcmp(found, other, part.count) == 0 { return true }
                    place = UnsafeRawPointer(start).distance(to: found) + 1
                }
                return false
            }
        }
    }

    private mutating func cues(of bytes: [UInt8]) -> [Cue] {
        var cues: [Cue] = []
        spoken.removeAll(keepingCapacity: true)
        said.removeAll(keepingCapacity: true)
        var count = 0
        SubtitleReader.each(bytes) { start, text in
            var words: UInt64 = 0
            count += finder.find(in: text) { found in
                words |= found.words
                if !phrases.isEmpty, let place = found.place, spoken.count < Self.mostSpoken {
                    spoken.append(Spoken(cue: cues.count, place: count + place, words: found.words))
                }
            }
            cues.append(Cue(start: start, text: said.count..<(said.count + text.count), words: words))
            said += text
        }
        return cues
    }

    /// The shortest runs of cues that have all words together; none overlap.
    private func windows(of cues: [Cue]) -> [Range<Int>] {
        var windows: [Range<Int>] = []
        var index = 0
        while index < cues.count {
            var words: UInt64 = 0
            var end = index
            while end < min(index + Self.width, cues.count), words != all {
                words |= cues[end].words
                end += 1
            }
            // One that begins without any of them is longer than the next one.
            if words == all, cues[index].words != 0 {
                windows.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return windows
    }

    /// The shortest runs of cues in which these words follow each other; none overlap.
    private func windows(having phrase: [UInt64]) -> [Range<Int>] {
        guard spoken.count >= phrase.count else { return [] }
        var windows: [Range<Int>] = []
        // A cue may have a single word.
        let width = max(Self.width, phrase.count)
        for start in 0...(spoken.count - phrase.count) where spoken[start].words & phrase[0] != 0 {
            let end = start + phrase.count
            let cues = spoken[start].cue..<(spoken[end - 1].cue + 1)
            if cues.lowerBound >= windows.last?.upperBound ?? 0, cues.count <= width,
                spoken[end - 1].place - spoken[start].place == phrase.count - 1,
                zip(phrase, spoken[start..<end]).allSatisfy({ $0 & $1.words != 0 })
            {
                windows.append(cues)
            }
        }
        return windows
    }

    private func text(of cues: ArraySlice<Cue>) -> String {
        cues.map { String(decoding: said[$0.text], as: UTF8.self) }.joined(separator: " ")
    }

    private mutating func has(_ phrase: [SearchQuery.Word], in text: String) -> Bool {
        var words: [String] = []
        reader.read(text) { word, kind in
            if case .last(isAlone: false) = kind { return }
            words.append(word)
        }
        guard words.count >= phrase.count else { return false }
        return (0...(words.count - phrase.count)).contains { start in
            zip(phrase, words[start...]).allSatisfy { $0.matches($1) }
        }
    }
}

extension [Range<Int>] {
    /// Those that have one of the others in them. Both are in the order of their beginnings.
    fileprivate func having(_ others: [Range<Int>]) -> [Range<Int>] {
        var next = 0
        return filter { range in
            while next < others.count, others[next].lowerBound < range.lowerBound { next += 1 }
            return others[next...].prefix { $0.lowerBound < range.upperBound }
                .contains { $0.upperBound <= range.upperBound }
        }
    }
}
