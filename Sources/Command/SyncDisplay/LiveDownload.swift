import Foundation
import SyncFacts

/// One download as the live view shows it.
struct LiveDownload: Sendable {
    enum Phase: Sendable, Equatable {
        /// Its URL is known, no byte has arrived yet.
        case connecting
        case downloading
        /// All bytes are there; it is being verified, flushed and placed.
        case finishing
        /// The last attempt failed.
        case retrying(until: Date, why: String)
    }

    var reference: VideoReference
    /// Numbered in the order in which downloads became active.
    let number: Int
    var phase: Phase
    var progress: DownloadProgress
    /// How often it continued with a new URL.
    var renewals = 0
    /// When it appeared.
    var since: Date
    /// When its phase last changed.
    var phaseSince: Date
    /// When the last bytes arrived.
    var dataSince: Date

    /// - Parameter partial: the part that exists already.
    init(_ reference: VideoReference, number: Int, partial: SyncStart.Partial? = nil, at now: Date) {
        self.reference = reference
        self.number = number
        phase = .connecting
        progress = DownloadProgress(bytes: partial?.bytes ?? 0, size: partial?.size, bytesPerSecond: 0)
        since = now
        phaseSince = now
        dataSince = now
    }

    /// The bytes that exist now.
    var partial: SyncStart.Partial { SyncStart.Partial(bytes: progress.bytes, size: progress.size) }

    /// The existing fraction, if the size is known.
    var fraction: Double? {
        guard let size = progress.size, size > 0 else { return nil }
        return min(1, Double(progress.bytes) / Double(size))
    }

    /// The duration since the last bytes, once it is worth showing; nil while bytes arrive.
    func silence(at now: Date) -> TimeInterval? {
        let seconds = now.timeIntervalSince(dataSince)
        return phase == .downloading && seconds >= 3 ? seconds : nil
    }

    /// Seconds to its end at the current rate.
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
