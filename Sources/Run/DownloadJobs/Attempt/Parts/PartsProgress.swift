import DownloadStore
import Synchronization

/// What is durable of each of the downloads that one consists of: any of them changes the one row.
final class PartsProgress: Sendable {
    private let record: Mutex<PartsRecord>
    /// The change that records the progress of the whole.
    private let whole: @Sendable (ProgressFacts) -> DownloadChange

    init(_ record: PartsRecord, whole: @escaping @Sendable (ProgressFacts) -> DownloadChange) {
        self.record = Mutex(record)
        self.whole = whole
    }

    var facts: ProgressFacts { record.withLock { $0 }.facts }

    var change: DownloadChange { whole(facts) }

    func note(_ facts: ProgressFacts, of number: Int) { record.withLock { $0.files[number].take(facts) } }

    /// The change that records this of one part, and of the others what is known.
    func change(_ facts: ProgressFacts, of number: Int) -> DownloadChange {
        note(facts, of: number)
        return change
    }

    /// The change that records that nothing of one part counts any more.
    func forget(_ number: Int, _ policy: AttemptPolicy) -> DownloadChange {
        record.withLock { record in
            var file = PartsRecord.File(label: record.files[number].label)
            file.validatorFailures = policy.validatorFailures
            file.startOvers = policy.startOvers
            file.hasGivenUpRanges = policy.hasGivenUpRanges
            record.files[number] = file
        }
        return change
    }
}
