package import DownloadStore

/// The phase of each download, with counts.
package struct PhaseTable: Sendable {
    /// Those without a turn.
    private var phases: [DownloadID: Phase] = [:]
    private var counts = [Int](repeating: 0, count: Phase.Kind.allCases.count)
    /// The turns that there are now. Each event looks at all of them, so they have their own table.
    package private(set) var turns: [DownloadID: Turn] = [:]
    /// The number of slots that turns have.
    package private(set) var slots = 0

    /// The phase; nil for downloads that aren't in the run.
    package subscript(id: DownloadID) -> Phase? {
        get { turns[id].map { .running($0) } ?? phases[id] }
        set {
            remove(id)
            guard let newValue else { return }
            counts[newValue.kind.rawValue] += 1
            if case .running(let turn) = newValue {
                turns[id] = turn
                slots += turn.hasSlot ? 1 : 0
            } else {
                phases[id] = newValue
            }
        }
    }

    private mutating func remove(_ id: DownloadID) {
        if let turn = turns.removeValue(forKey: id) {
            counts[Phase.Kind.running.rawValue] -= 1
            slots -= turn.hasSlot ? 1 : 0
        } else if let phase = phases.removeValue(forKey: id) {
            counts[phase.kind.rawValue] -= 1
        }
    }

    package subscript(turn id: DownloadID) -> Turn? { turns[id] }

    /// Changes a download's turn, if it has one.
    mutating func updateTurn(_ id: DownloadID, _ change: (inout Turn) -> Void) {
        guard var turn = turns[id] else { return }
        slots -= turn.hasSlot ? 1 : 0
        change(&turn)
        slots += turn.hasSlot ? 1 : 0
        turns[id] = turn
    }

    /// The downloads that have a turn now.
    package var running: Set<DownloadID> { Set(turns.keys) }

    func count(_ kind: Phase.Kind) -> Int { counts[kind.rawValue] }

    /// Whether nothing is in progress and nothing held.
    var isQuiet: Bool {
        count(.running) + count(.held) + count(.digesting) + count(.placing) + count(.emptying) == 0
    }

    /// All downloads, in no order.
    package var all: [(key: DownloadID, value: Phase)] {
        Array(phases) + turns.map { ($0.key, .running($0.value)) }
    }

    /// The downloads that have ended in this run, with their states.
    package var settled: [DownloadID: DownloadState] {
        phases.compactMapValues { if case .settled(let state) = $0 { state } else { nil } }
    }
}
