package import MediaTransfer

/// What has to be fetched for one stream, in order.
package struct StreamPlan: Sendable, Equatable, RedactedInPrint {
    /// Never empty.
    package private(set) var segments: [PlannedSegment]
    /// Each but once, in the order of their first use.
    package private(set) var maps: [PlannedMap]
    /// Of the playlist; the longest segment's where it doesn't say.
    package private(set) var targetDuration: Int64
    /// Seconds of all segments together, gaps too.
    package private(set) var seconds: Double
    /// Segments that the host says are missing.
    package private(set) var gaps: Int
    /// Seconds of those.
    package private(set) var gapSeconds: Double
    /// All addresses together, in bytes.
    package private(set) var addressBytes: Int
    /// Where the playlist came from, and thus where what it names may be.
    package private(set) var scope: NetworkScope
    /// 32 bytes that stay the same as long as a download may continue; see ``PlanDigest``.
    package private(set) var digest: [UInt8]

    /// All addresses of a plan together, in bytes.
    package static let addressLimit = 24 << 20

    /// - Parameters:
    ///   - url: Where the playlist came from in the end, after redirects.
    ///   - identity: Which stream it is, as part of ``digest``; see ``StreamChoice/variantIdentity``.
    ///   - scope: Where that is.
    ///   - addressLimit: What all addresses may take together, in bytes.
    /// - Throws: What ``MediaPlaylist/check()`` throws, and ``StreamRefusal/unsupported(reason:)`` for addresses that
    ///   aren't http or https or take more than ``addressLimit``.
    package static func make(
        _ playlist: MediaPlaylist, url: String, identity: String = "", scope: NetworkScope = .world,
        addressLimit: Int = addressLimit
    ) throws(StreamRefusal) -> StreamPlan {
        try playlist.check()
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
            addressBytes: addressLimit - planner.budget, scope: scope,
            digest: PlanDigest.bytes(playlist, planner, identity: identity))
    }

    /// The plan as a media playlist with absolute URLs, byte ranges and keys, each IV written out. A plan made of it is
    /// this one again, but for ``digest`` where the playlist had relative URIs.
    package func text() -> String {
        var printer = PlanPrinter(self)
        return printer.absolute()
    }

    /// The plan as a media playlist of what was joined: one local file, not encrypted any more, with a byte range for each
    /// segment. Gaps are left out.
    ///
    /// - Parameters:
    ///   - file: The path of the joined file from the playlist's folder.
    ///   - pieces: What each segment brought into it.
    package func text(file: String, pieces: [JoinedPiece]) -> String {
        var printer = PlanPrinter(self)
        return printer.local(file: file, pieces)
    }
}
