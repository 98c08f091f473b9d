import Foundation
import SyncFacts

/// One download as the live view shows it.
struct LiveDownload: Sendable {
    /// What it is doing.
    enum Phase: Sendable, Equatable {
        /// Its URL is known, no byte has come yet.
        case connecting
        case downloading
        /// Every byte is there; it is being proven, flushed and placed.
        case finishing
        /// The last attempt failed.
        case retrying(until: Date, why: String)
    }

    var reference: VideoReference
    var phase: Phase
    var progress: DownloadProgress
    /// How often it went on with a new URL.
    var renewals = 0
    /// When it appeared.
    var since: Date
    /// When its phase last changed.
    var phaseSince: Date

    /// - Parameter partial: what is there of it already.
    init(_ reference: VideoReference, partial: SyncStart.Partial? = nil, at now: Date) {
        self.reference = reference
        phase = .connecting
        progress = DownloadProgress(bytes: partial?.bytes ?? 0, size: partial?.size, bytesPerSecond: 0)
        since = now
        phaseSince = now
    }

    /// What is there of it now.
    var partial: SyncStart.Partial { SyncStart.Partial(bytes: progress.bytes, size: progress.size) }

    /// The part that is there, if the size is known.
    var fraction: Double? {
        guard let size = progress.size, size > 0 else { return nil }
        return min(1, Double(progress.bytes) / Double(size))
    }

    /// Seconds to its end at the present rate.
    var secondsLeft: Double? {
        guard let size = progress.size, progress.bytesPerSecond > 0 else { return nil }
        return Double(max(0, size - progress.bytes)) / Double(progress.bytesPerSecond)
    }

    mutating func enter(_ phase: Phase, at now: Date) {
        guard phase != self.phase else { return }
        self.phase = phase
        phaseSince = now
    }
}
