import MediaTransfer
package import NetworkAddresses

/// The requests for one stream, in order.
package struct StreamPlan: Sendable, Equatable, RedactedInPrint {
    /// Never empty.
    package internal(set) var segments: [PlannedSegment]
    /// Each once, in the order of first use.
    package internal(set) var maps: [PlannedMap]
    /// From the playlist; else the longest segment's.
    package internal(set) var targetDuration: Int64
    /// Seconds of all segments together, including gaps.
    package internal(set) var seconds: Double
    /// Segments that the host marks as missing.
    package internal(set) var gaps: Int
    package internal(set) var gapSeconds: Double
    /// See ``MediaPlaylist/timeOffset``.
    package internal(set) var timeOffset: Double
    /// All addresses together, in bytes.
    package internal(set) var addressBytes: Int
    /// The network of the playlist, which limits the addresses that it may name.
    package internal(set) var scope: NetworkScope
    /// Whether its playlist may still grow.
    package internal(set) var isLive: Bool
    /// 32 bytes that stay the same as long as a download may continue; see ``PlanDigest``.
    package internal(set) var digest: [UInt8]

    /// The limit on all addresses of a plan together, in bytes.
    package static let addressLimit = 24 << 20

    /// - Parameters:
    ///   - url: The final URL of the playlist, after redirects.
    ///   - identity: Identifies the stream, as part of ``digest``; see ``StreamChoice/variantIdentity``.
    ///   - scope: The network of the URL.
    ///   - addressLimit: The limit on all addresses together, in bytes.
    ///   - allowsLive: Whether the playlist may still grow.
    /// - Throws: The errors of ``MediaPlaylist/check()``, and ``StreamRefusal/unsupported(reason:)`` for addresses that
    ///   aren't http or https or exceed ``addressLimit``.
    package static func make(
        _ playlist: MediaPlaylist, url: String, identity: String = "", scope: NetworkScope = .world,
        addressLimit: Int = addressLimit, allowsLive: Bool = false
    ) throws(StreamRefusal) -> StreamPlan {
        try playlist.check(allowsLive: allowsLive)
        guard let base = ParsedURL(url), base.origin.isHTTP else {
            throw .unsupported(reason: "the playlist's address is neither http nor https")
        }
        var planner = StreamPlanner(playlist, base: base, addressLimit: addressLimit)
        for segment in playlist.segments { try planner.take(segment) }
        let gaps = playlist.segments.filter(\.isGap)
        let longest = playlist.segments.map(\.duration).max() ?? 0
        return StreamPlan(
            segments: planner.segments, maps: planner.maps,
            targetDuration: playlist.targetDuration ?? Int64(longest.rounded(.up)),
            seconds: playlist.segments.reduce(0) { $0 + $1.duration },
            gaps: gaps.count, gapSeconds: gaps.reduce(0) { $0 + $1.duration },
            timeOffset: playlist.timeOffset, addressBytes: addressLimit - planner.budget, scope: scope,
            isLive: playlist.isLive, digest: PlanDigest.bytes(playlist, planner, identity: identity))
    }

    /// The plan as a media playlist with absolute URLs, byte ranges and keys, each with its IV. A plan made of it
    /// equals this one, except for ``digest`` if the playlist had relative URIs.
    package func text() -> String {
        var printer = PlanPrinter(self)
        return printer.absolute()
    }

    /// The plan as a media playlist of the joined file: one local file, decrypted, with a byte range for each segment.
    /// Gaps are omitted.
    ///
    /// - Parameters:
    ///   - file: The path of the joined file from the playlist's folder.
    ///   - pieces: Each segment's part of it.
    package func text(file: String, pieces: [JoinedPiece]) -> String {
        var printer = PlanPrinter(self)
        return printer.local(file: file, pieces)
    }
}
