import ProviderKit

/// The tracks of an answer, and its other views.
extension ResolutionCheck {
    private static let trackBound = 64

    /// The mistake in the tracks of a resolution, or nil.
    static func tracksFault(_ resolution: Resolution) -> String? {
        fault(in: resolution.tracks, beside: resolution.kind, of: "its answer")
    }

    private static func fault(
        in tracks: [Resolution.Track], beside kind: Resolution.Kind, of place: String
    ) -> String? {
        guard !tracks.isEmpty else { return nil }
        // A playlist names its own sound and subtitles.
        if kind != .file { return "\(place) has 'tracks' beside a playlist; they belong to a file" }
        if tracks.count > trackBound { return "'tracks' in \(place) has more than \(trackBound) items" }
        for track in tracks {
            if let fault = fault(in: track) { return "one of the 'tracks' in \(place) \(fault)" }
        }
        return nil
    }

    /// The mistake in the other views of a resolution, or nil.
    static func streamsFault(_ resolution: Resolution) -> String? {
        if let role = resolution.role, !isRole(role) { return "'role' in its answer isn't \(roleForm)" }
        if resolution.streams.count > streamBound {
            return "'streams' in its answer has more than \(streamBound) items"
        }
        // They become names of files, which some file systems compare without regard to case.
        var roles: Set<String> = [(resolution.role ?? "").lowercased()]
        for stream in resolution.streams {
            if let fault = fault(in: stream) { return "one of the 'streams' in its answer \(fault)" }
            guard roles.insert(stream.role.lowercased()).inserted else {
                return "two of the 'streams' in its answer have one 'role'"
            }
        }
        return nil
    }

    private static func fault(in stream: Resolution.Stream) -> String? {
        if !isRole(stream.role) { return "has a 'role' that isn't \(roleForm)" }
        let media = Resolution(
            url: stream.url, kind: stream.kind, token: stream.token, headers: stream.headers, size: stream.size,
            sha256: stream.sha256, fileExtension: stream.fileExtension, mediaType: stream.mediaType,
            checksums: stream.checksums, tracks: stream.tracks)
        return fault(in: media).map { "is wrong: \($0)" }
    }

    private static let streamBound = 16
    private static let roleForm = "a word of at most 64 bytes in one line"

    private static func isRole(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            && text.contains { !$0.isWhitespace }
    }

    private static func fault(in track: Resolution.Track) -> String? {
        if let fault = urlFault(track.url) { return "has a 'url' that \(fault)" }
        if let lang = track.lang, !isLanguageTag(lang) { return "has a 'lang' that isn't a language tag" }
        if let title = track.title, !isTitle(title) || title.utf8.contains(0) {
            return "has a 'title' that is empty, longer than 1024 bytes, or has NUL in it"
        }
        if let token = track.token {
            if token.urlPrefix != nil { return "has a token with a 'url_prefix'; only one of 'tokens' has it" }
            if let fault = tokenFault(token) { return "has a token that \(fault)" }
        }
        if let fault = headersFault(track.headers) { return "has 'headers' that \(fault)" }
        if let size = track.size, let fault = sizeFault(size) { return "has a 'size' that \(fault)" }
        if let sha256 = track.sha256, !isSHA256(sha256) { return "has a 'sha256' that isn't 64 hexadecimal digits" }
        if let fault = track.checksums.flatMap(checksumsFault) { return "has 'checksums' of which one \(fault)" }
        return nil
    }
}
