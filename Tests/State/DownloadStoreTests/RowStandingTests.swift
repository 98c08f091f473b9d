import DownloadStore
import Foundation
import Testing

/// A row, and what is to become of it.
struct RowCase: CustomTestStringConvertible {
    var row: RowStanding
    var becomes: RowStanding
    var steps: [StateTransition] = []
    var isNewChance = false

    init(
        _ row: RowStanding, _ becomes: RowStanding? = nil, _ steps: [StateTransition] = [], isNewChance: Bool = false
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
struct RowStandingTests {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let soon = now.addingTimeInterval(3600)
    static let before = now.addingTimeInterval(-3600)
    static let inTwoDays = now.addingTimeInterval(2 * 86_400)
    static let never = now.addingTimeInterval(365 * 86_400)
    static let waiting = RowStanding(state: .waiting)
    static let placing = RowStanding(state: .waiting, isPlacing: true)

    /// Every state, with all that makes a difference in it.
    static let table: [RowCase] = [
        RowCase(waiting),
        RowCase(RowStanding(state: .waiting, reason: .lost)),
        RowCase(RowStanding(state: .waiting, retryAt: soon)),
        RowCase(RowStanding(state: .waiting, retryAt: before), waiting, [.revive]),
        RowCase(RowStanding(state: .waiting, retryAt: now), waiting, [.revive]),
        RowCase(RowStanding(state: .waiting, retryAt: never), waiting, [.revive]),
        RowCase(placing),
        RowCase(RowStanding(state: .active), waiting, [.suspend, .revive]),
        RowCase(RowStanding(state: .active, isPlacing: true), placing, [.suspend, .revive]),
        RowCase(RowStanding(state: .paused)),
        RowCase(RowStanding(state: .paused, retryAt: before, isPlacing: true)),
        RowCase(RowStanding(state: .suspended, reason: .auth), waiting, [.revive]),
        RowCase(RowStanding(state: .suspended, reason: .window, retryAt: soon, isPlacing: true), placing, [.revive]),
        RowCase(RowStanding(state: .finished)),
        RowCase(RowStanding(state: .failed)),
        RowCase(RowStanding(state: .failed, retryAt: soon)),
        RowCase(RowStanding(state: .failed, retryAt: before), waiting, [.revive], isNewChance: true),
        // A right clock never sets such a time.
        RowCase(RowStanding(state: .failed, retryAt: never), waiting, [.revive], isNewChance: true),
        RowCase(RowStanding(state: .failed, retryAt: inTwoDays), waiting, [.revive], isNewChance: true),
        RowCase(RowStanding(state: .failed, retryAt: inTwoDays, failedRuns: 4)),
        RowCase(RowStanding(state: .failed, retryAt: never, failedRuns: 9), waiting, [.revive], isNewChance: true),
        RowCase(RowStanding(state: .failed, isPlacing: true), placing, [.revive], isNewChance: true),
        RowCase(RowStanding(state: .cancelled)),
        RowCase(RowStanding(state: .cancelled, isPlacing: true)),
    ]

    @Test(
        "the start of a run changes each row as the table says, by steps of the state table", arguments: table)
    func recovered(row: RowCase) {
        let recovery = row.row.recovered(at: Self.now)
        #expect(recovery.standing == row.becomes)
        #expect(recovery.steps == row.steps)
        #expect(recovery.isNewChance == row.isNewChance)
        #expect(row.steps.reduce(row.row.state) { $0?.after($1) } == row.becomes.state)
        #expect(recovery.standing.recovered(at: Self.now).steps.isEmpty, "it is settled once")
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
