import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A recording, as the API or its own `metadata.xml` has it.
///
/// Related: bbb-common-web's Recording.scala, record-and-playback's publish scripts of BigBlueButton
struct BigBlueButtonRecording: Sendable {
    /// A form in which it can be played.
    struct Format: Sendable {
        /// `presentation`, `video`, `screenshare`, `podcast`, `notes`, …
        var kind: String
        var page: WebAddress
    }

    let id: String
    let name: String?
    /// `published`, `available` (the same, by a fault of its scripts), `unpublished`, `processing`, `processed`,
    /// `deleted`.
    let state: String
    let begins: Date?
    let formats: [Format]

    /// Of `getRecordings`.
    init?(_ element: XMLElement) {
        guard let id = element.text(of: "recordID"), Self.isID(id) else { return nil }
        self.id = id
        state = element.text(of: "state") ?? "published"
        // The name itself is escaped twice. Of one that is being made all are "unknown", and begin at 0.
        let name = element.text(of: "name").map { HTMLStripper.unescaped($0) }
        self.name = Self.title(
            element.first("metadata")?.text(of: "meetingName")
                ?? (state.hasPrefix("process") && name == "unknown" ? nil : name))
        begins = element.text(of: "startTime").flatMap(Self.date) ?? Self.date(String(id.suffix(13)))
        formats = (element.first("playback")?.all("format") ?? []).compactMap { format in
            guard let kind = format.text(of: "type"),
                let page = format.text(of: "url").flatMap({ WebAddress($0.filter { !$0.isWhitespace }) })
            else { return nil }
            return Format(kind: kind, page: page)
        }
    }

    /// Of a `metadata.xml`, which the server shows to whom it shows the recording.
    init(metadata: XMLElement, id: String, formats: [Format]) {
        self.id = id
        name = Self.title(metadata.first("meta")?.text(of: "meetingName"))
        state = "published"
        begins = metadata.text(of: "start_time").flatMap(Self.date)
        self.formats = formats
    }

    /// Whether a text may be the id of a recording.
    static func isID(_ text: String) -> Bool { text.wholeMatch(of: /[A-Za-z0-9_\-]{8,200}/) != nil }

    /// One that is made, or made anew, is there, too.
    var isListed: Bool { !["unpublished", "deleted"].contains(state) }

    /// Whether it can be played now.
    var isReady: Bool { ["published", "available"].contains(state) && !formats.isEmpty }

    /// A name is plain text, but what opens the room may have written entities into it.
    private static func title(_ text: String?) -> String? {
        text.map { HTMLStripper.unescaped($0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Milliseconds since 1970.
    private static func date(_ text: String) -> Date? {
        Double(text.filter { !$0.isWhitespace }).flatMap { $0 > 0 ? Date(seconds: .double($0 / 1000)) : nil }
    }
}
