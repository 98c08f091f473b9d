package import DownloadStore
package import Foundation

/// What the schedule knows of a download that the run is to bring in.
package struct ScheduledDownload: Sendable {
    /// What its turns are for.
    package enum Purpose: Sendable {
        case video
        /// Its file is there: its provider is asked what comes along, and no more.
        case sidecars
    }

    /// Its id.
    package var id: DownloadID
    /// What its turns are for.
    package var purpose = Purpose.video
    /// Higher goes first.
    package var priority: Int
    /// Place in catalog order; the lower goes first.
    package var ordinal: Int64
    /// The provider's name.
    package var provider: String
    /// Not before then.
    package var retryAt: Date?
    /// Runs in a row that ended with it failed.
    package var failedRuns: Int
    /// Bytes that its file takes while it is made; nil if that isn't known.
    package var size: Int64?
    /// Bytes of those that are there.
    package var written: Int64
    /// The host that it waited for when it began to follow another one.
    var hostBefore: String?
    /// What it wants.
    package var bytes: WantedBytes
    /// A file that the library has already and that may have the same bytes.
    package var donor: Donor? {
        get { if case .donor(let donor)? = kept { donor } else { nil } }
        set { kept = newValue.map { .donor($0) } }
    }

    /// Few have a donor, and a run has all of its downloads in memory.
    private indirect enum Kept { case donor(Donor) }
    private var kept: Kept?

    package init(
        id: DownloadID, priority: Int, ordinal: Int64, provider: String, retryAt: Date? = nil, failedRuns: Int = 0,
        size: Int64? = nil, written: Int64 = 0, bytes: WantedBytes, donor: Donor? = nil
    ) {
        self.id = id
        self.priority = priority
        self.ordinal = ordinal
        self.provider = provider
        self.retryAt = retryAt
        self.failedRuns = failedRuns
        self.size = size
        self.written = written
        self.bytes = bytes
        self.donor = donor
    }

    /// Whether nobody has to be asked if its donor has its bytes.
    var isDonorProven: Bool { donor?.isProven(for: bytes) ?? false }

    /// As it waits for its turn.
    func entry(host: String?, misses: Int = 0) -> DownloadQueue.Entry {
        // Where nobody has to be asked, no provider keeps it from running.
        var entry = DownloadQueue.Entry(
            id: id, priority: priority, ordinal: ordinal, provider: isDonorProven ? "" : provider, host: host)
        entry.isQuestion = purpose == .sidecars
        // What failed in runs before is asked last whether its provider is back: it may be what is wrong.
        entry.misses = misses + failedRuns
        return entry
    }
}
