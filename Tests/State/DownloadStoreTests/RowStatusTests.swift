import DownloadStore
import Foundation
import Testing

/// A row, and what is to become of it.
struct RowCase: CustomTestStringConvertible {
    var row: RowStatus
    var becomes: RowStatus
    var steps: [StateTransition] = []
    var isNewChance = false

    init(
        _ row: RowStatus, _ becomes: RowStatus? = nil, _ steps: [StateTransition] = [], isNewChance: Bool = false
    ) {
        self.row = row
        self.becomes = becomes ?? row
        self.steps = steps
        self.isNewChance = isNewChance
    }

    var testDescription: String {
        "\(row.state)\(row.isPlacing ? ", placing" : "")\(row.retryAt.map { ", again at \($0)" } ?? "")"
    }
}

@Suite("Rows at the start of a run")
struct RowStatusTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let soon = now.addingTimeInterval(3600)
    static let before = now.addingTimeInterval(-3600)
    static let inTwoDays = now.addingTimeInterval(2 * 86_400)
    static let never = now.addingTimeInterval(365 * 86_400)
    static let waiting = RowStatus(state: .waiting)
    static let placing = RowStatus(state: .waiting, isPlacing: true)

    /// Every state, with all that makes a difference in it.
    static let table: [RowCase] = [
        RowCase(waiting),
        RowCase(RowStatus(state: .waiting, reason: .lost)),
        RowCase(RowStatus(state: .waiting, retryAt: soon)),
        RowCase(RowStatus(state: .waiting, retryAt: before), waiting, [.revive]),
        RowCase(RowStatus(state: .waiting, retryAt: now), waiting, [.revive]),
        RowCase(RowStatus(state: .waiting, retryAt: never), waiting, [.revive]),
        RowCase(placing),
        RowCase(RowStatus(state: .active), waiting, [.suspend, .revive]),
        RowCase(RowStatus(state: .active, isPlacing: true), placing, [.suspend, .revive]),
        RowCase(RowStatus(state: .paused)),
        RowCase(RowStatus(state: .paused, retryAt: before, isPlacing: true)),
        RowCase(RowStatus(state: .suspended, reason: .auth), waiting, [.revive]),
        RowCase(RowStatus(state: .suspended, reason: .window, retryAt: soon, isPlacing: true), placing, [.revive]),
        RowCase(RowStatus(state: .finished)),
        RowCase(RowStatus(state: .failed)),
        RowCase(RowStatus(state: .failed, retryAt: soon)),
        RowCase(RowStatus(state: .failed, retryAt: before), waiting, [.revive], isNewChance: true),
        // A right clock never sets such a time.
        RowCase(RowStatus(state: .failed, retryAt: never), waiting, [.revive], isNewChance: true),
        RowCase(RowStatus(state: .failed, retryAt: inTwoDays), waiting, [.revive], isNewChance: true),
        RowCase(RowStatus(state: .failed, retryAt: inTwoDays, failedRuns: 4)),
        RowCase(RowStatus(state: .failed, retryAt: never, failedRuns: 9), waiting, [.revive], isNewChance: true),
        RowCase(RowStatus(state: .failed, isPlacing: true), placing, [.revive], isNewChance: true),
        RowCase(RowStatus(state: .cancelled)),
        RowCase(RowStatus(state: .cancelled, isPlacing: true)),
    ]

    @Test(
        "the start of a run changes each row as the table says, by steps of the state table", arguments: table)
    func recovered(row: RowCase) {
        let recovery = row.row.recovered(at: Self.now)
        #expect(recovery.status == row.becomes)
        #expect(recovery.steps == row.steps)
        #expect(recovery.isNewChance == row.isNewChance)
        #expect(row.steps.reduce(row.row.state) { $0?.after($1) } == row.becomes.state)
        #expect(recovery.status.recovered(at: Self.now).steps.isEmpty, "it is settled once")
    }

    @Test("the table has every state") func everyState() {
        #expect(Set(Self.table.map(\.row.state)) == Set(DownloadState.allCases))
    }

    @Test(
        "an active row without a holder of the lock was interrupted; every other one is as recorded", arguments: table)
    func seen(row: RowCase) {
        #expect(row.row.seen(isHeld: true) == row.row)
        let seen = row.row.seen(isHeld: false)
        let expected: DownloadState = row.row.state == .active ? .suspended : row.row.state
        #expect(seen.state == expected)
        #expect(seen.reason == (row.row.state == .active ? .interrupted : row.row.reason))
    }
}
