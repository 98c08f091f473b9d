import DownloadStore

/// How a shard of a sync of all shards ended.
package struct ShardEnding: Sendable, Equatable {
    /// As `2/4`.
    package var shard: String
    /// Nil for one that was not begun.
    package var conditions: Set<SyncCondition>?

    package init(shard: String, conditions: Set<SyncCondition>?) {
        self.shard = shard
        self.conditions = conditions
    }
}

extension SyncSummary {
    /// Why the run did nothing at all; nil if it began, or a catalog has mistakes.
    var refusedStart: Refusal? {
        guard seconds == 0, finishedNow == 0, case .refusal(let refusal)? = errors.first else { return nil }
        return refusal
    }

    /// Adds that of another shard, which has other courses. Times aren't added.
    mutating func add(_ other: SyncSummary) {
        downloads.merge(other.downloads, uniquingKeysWith: +)
        finishedNow += other.finishedNow
        movedNow += other.movedNow
        removedNow += other.removedNow
        failedNow += other.failedNow
        failedAt.merge(other.failedAt, uniquingKeysWith: +)
        if let more = other.libraryBytes { libraryBytes = (ByteCount(libraryBytes ?? 0) + ByteCount(more)).value }
        bytes = (ByteCount(bytes) + ByteCount(other.bytes)).value
        answers += other.answers
        answersExpired += other.answersExpired
        conditions.formUnion(other.conditions)
        errors += other.errors.filter { !errors.contains($0) }
        failures += other.failures.prefix(max(0, 1000 - failures.count))
        warnings += other.warnings
        fromOtherSource += other.fromOtherSource
        sidecarsWanted += other.sidecarsWanted
        sidecarsFailed += other.sidecarsFailed
        hasOlderFailures = hasOlderFailures || other.hasOlderFailures
        partials = (partials + other.partials).sorted { $0.1 > $1.1 }
        coursesUnlisted += other.coursesUnlisted
        coursesUnasked += other.coursesUnasked
        stopReason = stopReason ?? other.stopReason
        addServers(of: other)
    }

    private mutating func addServers(of other: SyncSummary) {
        for left in other.leftAlone {
            let index = leftAlone.firstIndex { $0.provider == left.provider && $0.server == left.server }
            guard let index else {
                leftAlone.append(left)
                continue
            }
            let videos = leftAlone[index].videos + left.videos
            if left.until > leftAlone[index].until { leftAlone[index] = left }
            leftAlone[index].videos = videos
        }
        leftAlone.sort { $0.videos > $1.videos }
        // Only courses wait for it if no shard has a video that does.
        let withVideos = [self, other].flatMap { one in
            one.providersToLogIn.filter { !one.providersOfCoursesOnly.contains($0) }
        }
        providersOfCoursesOnly = providersOfCoursesOnly.union(other.providersOfCoursesOnly).subtracting(withVideos)
        loginsNeeded += other.loginsNeeded.filter { !loginsNeeded.contains($0) }
        providersToLogIn += other.providersToLogIn.filter { !providersToLogIn.contains($0) }
        coursesToLogIn.merge(other.coursesToLogIn, uniquingKeysWith: +)
    }
}
