package import CourseCatalog
package import DownloadStore
package import Foundation
import MediaLibrary

/// A sync of all shards of a library, one after the other: what each may still do, and all results as one.
package struct ShardRound: Sendable {
    private let shards: [Shard]
    private let options: SyncOptions
    private let started: Date
    /// The end of the window of all of them.
    private let closes: Date?
    private let limitsPerShard: Bool
    /// The results of those that have ended.
    private var sum = SyncSummary()
    private var endings: [ShardEnding] = []
    private var isOver = false
    /// Whether a shard was synced, and not refused at its start.
    private var isBegun = false

    /// - Parameters:
    ///   - shards: in their order.
    ///   - options: of the sync as a whole; the window counts from `started`.
    ///   - limitsPerShard: whether each may receive as many bytes as all of them otherwise.
    package init(_ shards: [Shard], _ options: SyncOptions, limitsPerShard: Bool, started: Date) {
        self.shards = shards
        self.options = options
        self.limitsPerShard = limitsPerShard
        self.started = started
        closes = options.window.closes(startedAt: started, in: options.zone)
    }

    /// The next shard and its options; nil if all are done, or the round is over.
    package mutating func next(at now: Date) -> (shard: Shard, options: SyncOptions)? {
        guard !isOver, endings.count < shards.count else { return nil }
        let shard = shards[endings.count]
        var options = options
        options.shard = shard
        if let closes {
            guard closes > now else { return stop(.window) }
            options.window.maxDuration = nil
            options.window.until = .instant(closes)
        }
        if let bytes = options.maxTransfer, !limitsPerShard {
            guard bytes > sum.bytes else { return stop(.quota) }
            options.maxTransfer = bytes - sum.bytes
        }
        if case .count(let count) = options.maxDelete { options.maxDelete = .count(max(0, count - sum.removedNow)) }
        return (shard, options)
    }

    /// Ends the round before its time.
    @discardableResult
    package mutating func stop(_ reason: SuspendReason) -> (shard: Shard, options: SyncOptions)? {
        isOver = true
        sum.stopReason = sum.stopReason ?? reason
        sum.conditions.insert(.workLeft)
        return nil
    }

    /// Notes how the shard of ``next(at:)`` ended. Returns what is to be told of it alone; nil if its end is that of
    /// all, which ``summary(at:)`` tells.
    ///
    /// - Parameter repeated: how many of its warnings another shard has given already.
    package mutating func take(_ ending: SyncSummary, repeated: Int = 0) -> SyncSummary? {
        guard endings.count < shards.count else { return nil }
        let shard = shards[endings.count].text
        var ending = ending
        ending.warnings = max(0, ending.warnings - repeated)
        if let refusal = ending.refusedStart {
            guard refusal.isAboutShard else {
                refuse(ending, refusal)
                return nil
            }
            ending.errors = [.refusal(.run(.shardLeftOut(shard, refusal)))]
        } else {
            isBegun = true
        }
        endings.append(ShardEnding(shard: shard, conditions: ending.conditions))
        switch ending.stopReason {
        case nil, .interrupted, .auth: break
        case .logout, .signal, .window, .quota, .disk, .descriptors, .lost:
            isOver = true
            // This one may have had nothing left to do.
            if endings.count < shards.count { sum.conditions.insert(.workLeft) }
        }
        sum.add(ending)
        return ending
    }

    private mutating func refuse(_ ending: SyncSummary, _ refusal: Refusal) {
        isOver = true
        if case .user(.loggedOut) = refusal, isBegun {
            // As in the middle of a sync.
            stop(.logout)
        } else if case .run(.outsideHours) = refusal, isBegun {
            stop(.window)
        } else {
            sum.add(ending)
        }
    }

    /// The results of all shards, which has no seconds if none was begun.
    package func summary(at now: Date) -> SyncSummary {
        var whole = sum
        whole.seconds = isBegun ? max(0.001, now.timeIntervalSince(started)) : 0
        let left = shards.dropFirst(endings.count).map { ShardEnding(shard: $0.text, conditions: nil) }
        whole.shards = endings + left
        return whole
    }
}

extension Refusal {
    /// Whether another shard may be synced all the same.
    fileprivate var isAboutShard: Bool {
        switch self {
        case .held, .working, .silent, .store, .state: true
        case .library(.inUse), .library(.partOfAnother), .run(.overtaken): true
        case .run(.notStarted(let refusal)): refusal.isAboutShard
        default: false
        }
    }
}
