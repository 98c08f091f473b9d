import MediaTransfer
import XMLSource

/// A DASH presentation (MPD) parsed into values. Related: ISO/IEC 23009-1 §5.3.1.
///
/// Lenient about what doesn't matter for a download, strict where a guess would cost data: durations, numbers, byte
/// ranges and addresses.
package struct Presentation: Sendable, Equatable, RedactedInPrint {
    /// Whether it still changes; it has no periods then.
    package var isDynamic = false
    /// Those with a picture or sound, in order.
    package var periods: [PresentationPeriod] = []

    /// Reads a presentation; nil for a document that isn't one, such as a web page.
    ///
    /// - Parameter bytes: as received; at most ``PlaylistLimit/bytes``. A complete one has the end of its outermost
    ///   element: one that is truncated is malformed.
    package static func parse(_ bytes: [UInt8]) throws(PresentationError) -> Presentation? {
        let root: XMLElement
        do throws(XMLMistake) { root = try XMLReader.root(of: bytes) } catch {
            guard isNamed(bytes) else { return nil }
            throw PresentationError(.malformed(error.message), line: 1)
        }
        guard root.name == "MPD" else { return nil }
        if root.attributes["type"] == "dynamic" { return Presentation(isDynamic: true) }
        var reader = PresentationReader(root)
        return Presentation(periods: try reader.periods())
    }

    /// Whether the text begins like a presentation, to judge one that can't be read.
    private static func isNamed(_ bytes: [UInt8]) -> Bool {
        let beginning = bytes.prefix(4096)
        return beginning.firstRange(of: "<MPD".utf8) != nil || beginning.firstRange(of: ":MPD".utf8) != nil
    }
}
