import CourseCatalog
package import DownloadStore
import Foundation
package import RunAccess
package import SyncFacts
import UserState

/// A run of the history.
package struct PastRun: Sendable {
    package var record: RunRecord
    /// The shard that it was of, as `2/4`; nil without shards.
    package var shard: String?
    package var ending: Ending

    package enum Ending: String, Sendable {
        case running, ended
        /// It was killed, or its machine stopped.
        case killed
    }

    package init(record: RunRecord, shard: String? = nil, ending: Ending) {
        self.record = record
        self.shard = shard
        self.ending = ending
    }

    /// What prevented exit code 0; nil if it didn't end, or in a run of an earlier version that didn't say so.
    package var conditions: Set<SyncCondition>? {
        record.end?.conditions.map { Set($0.compactMap(SyncCondition.init)) }
    }
}

/// The history of runs.
package enum PastRuns {
    /// The newest runs of a state, or of those of all shards, the oldest first; and the shards that are left out.
    ///
    /// - Parameter limit: at most so many; nil for all.
    package static func read(
        _ location: StateLocation, limit: Int?
    ) throws(Refusal) -> (runs: [PastRun], leftOut: [Refusal]) {
        let places = try location.resolveAll()
        var runs: [PastRun] = []
        var leftOut: [Refusal] = []
        for place in places {
            try place.requireKnown()
            do throws(Refusal) { runs += try read(place, limit: limit) } catch {
                guard places.count > 1 else { throw error }
                leftOut.append(place.leftOut(error))
            }
        }
        if leftOut.count == places.count, let first = leftOut.first { throw first }
        runs.sort { ($0.record.startedAt, $0.record.id) < ($1.record.startedAt, $1.record.id) }
        return (limit.map { runs.suffix($0) } ?? runs, leftOut)
    }

    private static func read(_ place: StateLocation.Place, limit: Int?) throws(Refusal) -> [PastRun] {
        guard let store = try place.openForReading() else { return [] }
        defer { store.close() }
        do {
            let isHeld = try place.folder.lockHolder() != nil
            return try store.runs.newest(limit).enumerated().map { index, record in
                PastRun(
                    record: record, shard: place.shard?.text,
                    ending: record.endedAt != nil ? .ended : index == 0 && isHeld ? .running : .killed)
            }
        } catch { throw Refusal(any: error) }
    }
}
