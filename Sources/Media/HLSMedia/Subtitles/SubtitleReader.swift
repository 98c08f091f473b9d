import Foundation

/// Reads the cues of a subtitle file, WebVTT or SubRip, as plain text: for search, where a broken cue is left out and
/// the rest still counts. Related: WebVTT §6.
package enum SubtitleReader {
    /// A cue without its tags. Its lines are joined by blanks.
    package struct Cue: Sendable, Equatable {
        /// In milliseconds.
        package var start: Int64
        package var text: String

        package init(start: Int64, text: String) {
            self.start = start
            self.text = text
        }
    }

    package static func cues(_ bytes: [UInt8]) -> [Cue] {
        var cues: [Cue] = []
        each(bytes) { start, text in
            if !text.isEmpty { cues.append(Cue(start: start, text: String(decoding: text, as: UTF8.self))) }
        }
        return cues
    }

    /// Calls `body` with the start and the text of each cue, in the order of the file. The text is valid until it
    /// returns.
    package static func each(_ bytes: [UInt8], _ body: (Int64, UnsafeBufferPointer<UInt8>) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            var text: [UInt8] = []
            var start: Int64?
            func end() {
                if let start { text.withUnsafeBufferPointer { body(start, $0) } }
                start = nil
                text.removeAll(keepingCapacity: true)
            }
            var index = 0
            // The next ones, so that no byte is looked at once more for each line.
            var (feed, carriage) = (-1, -1)
            while index < all.count {
                if feed < index { feed = place(of: 0x0A, in: all, from: index) }
                if carriage < index { carriage = place(of: 0x0D, in: all, from: index) }
                let lineEnd = min(feed, carriage)
                let line = UnsafeBufferPointer(rebasing: all[index..<lineEnd])
                index = lineEnd + 1
                // The CR of CR LF ends its line; the LF is an empty one, which would end the cue.
                if lineEnd < all.count, all[lineEnd] == 0x0D, index < all.count, all[index] == 0x0A { index += 1 }
                if let time = time(of: line) {
                    end()
                    start = time
                } else if line.isEmpty {
                    end()
                } else if start != nil {
                    join(line, to: &text)
                }
            }
            end()
        }
    }

    /// The first place of a byte; the text's end if it isn't there.
    private static func place(of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, from index: Int = 0) -> Int {
        guard let start = text.baseAddress, let found = memchr(start + index, CInt(byte), text.count - index) else {
            return text.count
        }
        return UnsafeRawPointer(start).distance(to: found)
    }

    /// The start of a line with the times of a cue; nil for another line.
    private static func time(of line: UnsafeBufferPointer<UInt8>) -> Int64? {
        // 00:00.000 --> 00:00.000 is the shortest one.
        guard line.count >= 23, line[0] <= 0x39,
            let (start, rest) = WebVTTTime.read(line.drop { $0 == 0x20 || $0 == 0x09 })
        else { return nil }
        var index = rest.startIndex
        while index + 2 < rest.endIndex {
            if rest[index] == 0x2D, rest[index + 1] == 0x2D, rest[index + 2] == 0x3E { return start }
            index += 1
        }
        return nil
    }

    /// Adds a line without its tags. A word that a hyphen at the end of a line has cut is joined.
    private static func join(_ line: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        if text.last == 0x2D, text.dropLast().last.map(isLetter) ?? false, line.first.map(isLetter) ?? false {
            text.removeLast()
        } else if let last = text.last, !(isIdeographic(line) && last >= 0x80) {
            text.append(0x20)
        }
        var index = min(place(of: 0x3C, in: line), place(of: 0x7B, in: line), place(of: 0x26, in: line))
        text.append(contentsOf: line[..<index])
        while index < line.count {
            let byte = line[index]
            if byte == 0x3C || byte == 0x7B, let end = end(of: byte, in: line, from: index) {
                index = end
            } else if byte == 0x26, let (decoded, end) = entity(in: line, at: index) {
                text += decoded
                index = end
            } else {
                text.append(byte)
                index += 1
            }
        }
    }

    /// Whether it begins with a character of a script without blanks, by its first byte in UTF-8.
    private static func isIdeographic(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        line.first.map { (0xE3...0xED).contains($0) } ?? false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x80 || (0x61...0x7A).contains(byte) }

    /// Behind a tag (`<v Anna>`, `{\an8}`) that begins there; nil if none does.
    private static func end(of opening: UInt8, in line: UnsafeBufferPointer<UInt8>, from index: Int) -> Int? {
        if opening == 0x7B, index + 1 >= line.count || line[index + 1] != 0x5C { return nil }
        let closing: UInt8 = opening == 0x3C ? 0x3E : 0x7D
        let start = UnsafeBufferPointer(rebasing: line[index...].prefix(longestTag))
        let length = place(of: closing, in: start)
        guard length < start.count else { return nil }
        let end = index + length
        // `a<b` is no tag.
        let name = start[1..<length].prefix(longestName).drop { $0 == 0x2F }
            .prefix { $0 != 0x20 && $0 != 0x2E && $0 != 0x09 }
        let isTag =
            name.first.map { (0x30...0x39).contains($0) } ?? true
            || tags.contains(String(decoding: name, as: UTF8.self))
        return opening == 0x7B || isTag ? end + 1 : nil
    }

    /// In bytes: what has no end within it is text.
    private static let longestTag = 512
    /// A longer name is no tag's, in bytes, its slash included.
    private static let longestName = 6

    /// Of WebVTT and SubRip, beside the times of WebVTT.
    private static let tags: Set = ["c", "i", "b", "u", "v", "s", "lang", "ruby", "rt", "font", "I", "B", "U", "FONT"]

    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "nbsp": " ", "quot": "\"", "apos": "'", "lrm": "", "rlm": "",
    ]

    /// The character of an entity that begins there, and its end; nil if none does.
    private static func entity(in line: UnsafeBufferPointer<UInt8>, at index: Int) -> ([UInt8], Int)? {
        guard let end = line[index...].prefix(12).firstIndex(of: 0x3B) else { return nil }
        let name = String(decoding: line[(index + 1)..<end], as: UTF8.self)
        if let known = entities[name] { return (Array(known.utf8), end + 1) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let isHex = digits.first == "x" || digits.first == "X"
        let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
        return value.flatMap(Unicode.Scalar.init).map { (Array(String($0).utf8), end + 1) }
    }
}
