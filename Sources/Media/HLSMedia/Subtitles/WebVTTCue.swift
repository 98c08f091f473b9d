/// A cue of WebVTT.
struct WebVTTCue: Sendable, Equatable {
    /// The line before the timing; empty if there is none.
    var identifier = ""
    /// In milliseconds.
    var start: Int64
    /// In milliseconds; after the start.
    var end: Int64
    /// As written after the timing, without surrounding spaces.
    var settings = ""
    /// Lines of text, without empty ones.
    var payload = ""

    /// Reads a line such as `00:01.000 --> 00:02.500 align:start`. Nil if it isn't one, or if the cue would never be
    /// visible.
    init?(timing line: Substring) {
        guard let start = WebVTTTime.read(Self.trimmed(line).utf8) else { return nil }
        let arrow = Self.trimmed(Substring(start.rest))
        guard arrow.hasPrefix("-->"), let end = WebVTTTime.read(Self.trimmed(arrow.dropFirst(3)).utf8),
            end.rest.first.map({ $0 == 0x20 || $0 == 0x09 }) ?? true, start.milliseconds < end.milliseconds
        else { return nil }
        self.start = start.milliseconds
        self.end = end.milliseconds
        settings = String(Self.trimmed(Substring(end.rest)))
    }

    /// The cue as written, without the empty line after it.
    var text: String {
        let timing = WebVTTTime.text(start) + " --> " + WebVTTTime.text(end) + (settings.isEmpty ? "" : " " + settings)
        return (identifier.isEmpty ? "" : identifier + "\n") + timing + "\n" + (payload.isEmpty ? "" : payload + "\n")
    }

    /// Moves the cue, and the times in its text (WebVTT §3.3, cue timestamps). The parts before 0 and after the last
    /// time are cut off. Nil if nothing is left.
    func moved(by offset: Int64) -> WebVTTCue? {
        guard offset != 0 else { return self }
        guard end + offset > 0, start + offset < WebVTTTime.last else { return nil }
        var cue = self
        cue.start = max(0, start + offset)
        cue.end = min(end + offset, WebVTTTime.last)
        cue.payload = Self.movedTimes(payload, by: offset)
        return cue
    }

    private static func movedTimes(_ payload: String, by offset: Int64) -> String {
        guard payload.utf8.contains(UInt8(ascii: "<")) else { return payload }
        var pieces = payload.split(separator: "<", omittingEmptySubsequences: false).map(String.init)
        for index in pieces.indices.dropFirst() {
            guard let time = WebVTTTime.read(pieces[index][...].utf8), time.rest.first == UInt8(ascii: ">") else {
                continue
            }
            pieces[index] = WebVTTTime.text(time.milliseconds + offset) + String(Substring(time.rest))
        }
        return pieces.joined(separator: "<")
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = text.utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return Substring(bytes)
    }
}
