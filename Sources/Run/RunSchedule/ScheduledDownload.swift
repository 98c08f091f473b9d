package import DownloadStore
package import Foundation

/// The schedule's facts about a download of the run.
package struct ScheduledDownload: Sendable {
    /// The purpose of its turns.
    package enum Purpose: Sendable {
        case video
        /// Its file is in place: its provider is only asked for sidecars.
        case sidecars
    }

    package var id: DownloadID
    /// The purpose of its turns.
    package var purpose = Purpose.video
    /// Higher goes first.
    package var priority: Int
    /// Place in catalog order; the lower goes first.
    package var ordinal: Int64
    /// Its provider, and the server that it asks there: the one of its parameters, or of the provider's last error.
    package var server: ProviderServer
    /// The earliest time to begin.
    package var retryAt: Date?
    /// The number of consecutive runs in which it failed.
    package var failedRuns: Int
    /// Whether its provider has listed it: a listing that lacks it takes it back.
    package var isListed: Bool
    /// The disk space of its file while it is made; nil if unknown.
    package var size: Int64?
    /// The bytes of ``size`` that are written already.
    package var written: Int64
    /// Whether the user wants it now.
    var isUrgent = false
    /// The host that it waited for when it began to follow another one.
    var hostBefore: String?
    /// The facts about its bytes.
    package var bytes: WantedBytes
    /// A file in the library that may have the same bytes.
    package var donor: Donor? {
        get { if case .donor(let donor)? = kept { donor } else { nil } }
        set { kept = newValue.map { .donor($0) } }
    }

    /// Few have a donor, and a run has all of its downloads in memory.
    private indirect enum Kept { case donor(Donor) }
    private var kept: Kept?

    package init(
        id: DownloadID, priority: Int, ordinal: Int64, provider: String, server: String? = nil, retryAt: Date? = nil,
        failedRuns: Int = 0, isListed: Bool = false, size: Int64? = nil, written: Int64 = 0, bytes: WantedBytes,
        donor: Donor? = nil
    ) {
        self.id = id
        self.priority = priority
        self.ordinal = ordinal
        self.server = ProviderServer(provider, server)
        self.retryAt = retryAt
        self.failedRuns = failedRuns
        self.isListed = isListed
        self.size = size
        self.written = written
        self.bytes = bytes
        self.donor = donor
    }

    package var provider: String { server.provider }

    /// Whether its donor certainly has its bytes, so that no request is needed.
    var isDonorProven: Bool { donor?.isProven(for: bytes) ?? false }

    func entry(host: String?, misses: Int = 0, usableUntil: Date? = nil) -> DownloadQueue.Entry {
        // Without a request, no provider can delay it.
        var entry = DownloadQueue.Entry(
            id: id, priority: priority, ordinal: ordinal, server: isDonorProven ? ProviderServer("") : server,
            host: host)
        entry.isQuestion = purpose == .sidecars
        entry.isLinked = isDonorProven
        entry.isUrgent = isUrgent
        entry.usableUntil = usableUntil
        // Downloads that failed in earlier runs are the last to check whether their provider is back: they may be the
        // cause.
        entry.misses = misses + failedRuns
        return entry
    }
}
