import CourseCatalog
import DownloadStore
import Foundation
import MediaLibrary
import SyncFacts
import Testing

@Suite("a sync of all shards as one")
struct ShardRoundTests {
    private static let start = Date(timeIntervalSince1970: 1_795_215_600)
    private static let shards = (1...3).compactMap { Shard(index: $0, count: 3) }

    private static func round(
        limitsPerShard: Bool = false, _ change: (inout SyncOptions) -> Void = { _ in }
    ) -> ShardRound {
        var options = SyncOptions(catalogs: ["c.yaml"])
        change(&options)
        return ShardRound(shards, options, limitsPerShard: limitsPerShard, started: start)
    }

    private static func done(_ finished: Int, bytes: Int64 = 0, _ conditions: Set<SyncCondition> = []) -> SyncSummary {
        SyncSummary(
            downloads: [.finished: finished], finishedNow: finished, bytes: bytes, seconds: 1, conditions: conditions)
    }

    @Test("results are added, and each shard's conditions are kept")
    func sum() {
        var round = Self.round()
        let first = round.next(at: Self.start)
        #expect(first?.shard.text == "1/3")
        let told = round.take(Self.done(2, bytes: 10))
        #expect(told != nil)
        let second = round.next(at: Self.start)
        #expect(second?.options.shard?.text == "2/3")
        _ = round.take(Self.done(3, bytes: 5, [.downloadsFailed]))
        _ = round.next(at: Self.start)
        _ = round.take(Self.done(1, [.workLeft]))
        let none = round.next(at: Self.start)
        #expect(none == nil)
        let whole = round.summary(at: Self.start.addingTimeInterval(4))
        #expect(whole.finishedNow == 6 && whole.downloads == [.finished: 6] && whole.bytes == 15)
        #expect(whole.conditions == [.downloadsFailed, .workLeft] && whole.seconds == 4)
        #expect(whole.shards.map(\.conditions) == [[], [.downloadsFailed], [.workLeft]])
    }

    @Test("a shard that another process has is left out, and the others are synced")
    func held() throws {
        var round = Self.round()
        _ = round.next(at: Self.start)
        let ending = round.take(SyncSummary(.held(nil)))
        let told = try #require(ending)
        #expect(told.errors == [.refusal(.run(.shardLeftOut("1/3", .held(nil))))])
        for _ in 0..<2 {
            let another = round.next(at: Self.start)
            #expect(another != nil)
            _ = round.take(Self.done(1))
        }
        let whole = round.summary(at: Self.start)
        #expect(whole.conditions == [.workLeft] && whole.finishedNow == 2 && whole.errors == told.errors)
    }

    @Test(
        "what concerns all of them ends all at once, and is told once",
        arguments: [
            Refusal.user(.loggedOut("bob", isAccountsOwn: false)), .run(.noProgram(path: "/x")),
            .run(.notStarted(.library(.dividedOtherwise(library: "/l", shards: 4)))),
        ])
    func refused(_ refusal: Refusal) {
        var round = Self.round()
        _ = round.next(at: Self.start)
        let told = round.take(SyncSummary(refusal))
        #expect(told == nil)
        let none = round.next(at: Self.start)
        #expect(none == nil)
        let whole = round.summary(at: Self.start)
        #expect(whole.errors == [.refusal(refusal)] && whole.conditions == [refusal.condition])
        #expect(whole.seconds == 0 && whole.shards.allSatisfy { $0.conditions == nil })
    }

    @Test("a logout or a signal ends all", arguments: [SuspendReason.logout, .signal, .disk, .lost])
    func stopped(_ reason: SuspendReason) {
        var round = Self.round()
        _ = round.next(at: Self.start)
        var summary = Self.done(1, [.workLeft])
        summary.stopReason = reason
        let told = round.take(summary)
        #expect(told != nil)
        let none = round.next(at: Self.start)
        #expect(none == nil)
        let whole = round.summary(at: Self.start)
        #expect(whole.stopReason == reason && whole.conditions.contains(.workLeft))
        #expect(whole.shards.map { $0.conditions == nil } == [false, true, true])
    }

    @Test(
        "a window or a quota that ends with the last video of a shard leaves the others undone",
        arguments: [SuspendReason.window, .quota])
    func bound(_ reason: SuspendReason) {
        for begun in 1...3 {
            var round = Self.round()
            for number in 1...begun {
                _ = round.next(at: Self.start)
                var summary = Self.done(1)
                if number == begun { summary.stopReason = reason }
                _ = round.take(summary)
            }
            let none = round.next(at: Self.start)
            #expect(none == nil)
            #expect(round.summary(at: Self.start).conditions == (begun < 3 ? [.workLeft] : []))
        }
    }

    @Test("a logout between two shards is one in the middle of the sync")
    func loggedOutBetween() {
        var round = Self.round()
        _ = round.next(at: Self.start)
        _ = round.take(Self.done(1))
        _ = round.next(at: Self.start)
        let told = round.take(SyncSummary(.user(.loggedOut("bob", isAccountsOwn: false))))
        #expect(told == nil)
        let whole = round.summary(at: Self.start)
        #expect(whole.stopReason == .logout && whole.conditions == [.workLeft] && whole.errors.isEmpty)
    }

    @Test("a shard that another machine goes on with ends alone")
    func overtaken() {
        var round = Self.round()
        _ = round.next(at: Self.start)
        var summary = Self.done(1, [.workLeft])
        summary.stopReason = .interrupted
        _ = round.take(summary)
        let following = round.next(at: Self.start)
        #expect(following?.shard.text == "2/3")
    }

    @Test("limits are those of all: bytes, time, and files to delete")
    func limits() throws {
        var round = Self.round {
            $0.maxTransfer = 100
            $0.maxDelete = .count(5)
            $0.window = RunWindow(maxDuration: .seconds(60))
        }
        let opening = round.next(at: Self.start)
        let first = try #require(opening).options
        #expect(first.maxTransfer == 100 && first.window.maxDuration == nil)
        #expect(first.window.until == .instant(Self.start.addingTimeInterval(60)))
        var summary = Self.done(1, bytes: 70)
        summary.removedNow = 2
        _ = round.take(summary)
        let later = round.next(at: Self.start.addingTimeInterval(10))
        let second = try #require(later).options
        #expect(second.maxTransfer == 30 && second.maxDelete == .count(3) && second.window.maxDuration == nil)
        #expect(second.window.until == .instant(Self.start.addingTimeInterval(60)))
        _ = round.take(Self.done(1))
        let none = round.next(at: Self.start.addingTimeInterval(61))
        #expect(none == nil)
        let whole = round.summary(at: Self.start)
        #expect(whole.stopReason == .window && whole.conditions == [.workLeft])
    }

    @Test("used-up bytes end all, unless each shard has its own")
    func quota() {
        for limitsPerShard in [false, true] {
            var round = Self.round(limitsPerShard: limitsPerShard) { $0.maxTransfer = 100 }
            _ = round.next(at: Self.start)
            _ = round.take(Self.done(1, bytes: 100))
            let following = round.next(at: Self.start)
            #expect(following?.options.maxTransfer == (limitsPerShard ? 100 : nil))
            #expect(round.summary(at: Self.start).stopReason == (limitsPerShard ? nil : .quota))
        }
    }
}
