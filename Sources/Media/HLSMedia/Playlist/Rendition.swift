import MediaTransfer

/// An alternative of a variant's sound, picture or subtitles (EXT-X-MEDIA, RFC 8216 §4.3.4.1).
package struct Rendition: Sendable, Equatable, RedactedInPrint {
    package enum Kind: String, Sendable, Equatable {
        /// Sound.
        case audio = "AUDIO"
        case subtitles = "SUBTITLES"
        /// Picture.
        case video = "VIDEO"
        /// Text inside the picture's stream.
        case closedCaptions = "CLOSED-CAPTIONS"
    }

    package var kind: Kind
    /// As written, with variables replaced; nil if it is in the variant's own stream.
    package var uri: String?
    /// The group that variants refer to.
    package var groupID: String
    /// A readable name; empty if not given.
    package var name: String
    /// As written, e.g. `en-US` or `eng`.
    package var language: String?
    /// Played unless the user chooses another one.
    package var isDefault = false
    /// May be played without the user's choice.
    package var isAutoselect = false
    /// Contains only the text necessary to follow.
    package var isForced = false
    /// As written, e.g. `public.accessibility.describes-video`.
    package var characteristics: [String] = []
    /// As written, e.g. `2` or `16/JOC`.
    package var channels: String?
    /// The line of the tag, from 1 on.
    package var line: Int

    package init(kind: Kind, uri: String?, groupID: String, name: String = "", language: String? = nil, line: Int = 1) {
        self.kind = kind
        self.uri = uri
        self.groupID = groupID
        self.name = name
        self.language = language
        self.line = line
    }
}
