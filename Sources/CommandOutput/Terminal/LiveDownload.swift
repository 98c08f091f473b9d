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
    /// In the order in which downloads became active.
    let number: Int
    var phase: Phase
    var progress: DownloadProgress
    /// How often it went on with a new URL.
    var renewals = 0
    /// When it appeared.
    var since: Date
    /// When its phase last changed.
    var phaseSince: Date
    /// When bytes came last.
    var dataSince: Date

    /// - Parameter partial: what is there of it already.
    init(_ reference: VideoReference, number: Int, partial: SyncStart.Partial? = nil, at now: Date) {
        self.reference = reference
        self.number = number
        phase = .connecting
        progress = DownloadProgress(bytes: partial?.bytes ?? 0, size: partial?.size, bytesPerSecond: 0)
        since = now
        phaseSince = now
        dataSince = now
    }

    /// What is there of it now.
    var partial: SyncStart.Partial { SyncStart.Partial(bytes: progress.bytes, size: progress.size) }

    /// The part that is there, if the size is known.
    var fraction: Double? {
        guard let size = progress.size, size > 0 else { return nil }
        return min(1, Double(progress.bytes) / Double(size))
    }

    /// For how long nothing has come, once that is long enough to tell; nil while bytes come.
    func silence(at now: Date) -> TimeInterval? {
        let seconds = now.timeIntervalSince(dataSince)
        return phase == .downloading && seconds >= 3 ? seconds : nil
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
