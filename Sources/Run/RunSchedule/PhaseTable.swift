package import DownloadStore

/// The phase of each download, with counts.
package struct PhaseTable: Sendable {
    private var phases: [DownloadID: Phase] = [:]
    private var counts = [Int](repeating: 0, count: Phase.Kind.allCases.count)
    /// The downloads that have a turn now.
    package private(set) var running: Set<DownloadID> = []
    /// The number of slots that turns have.
    package private(set) var slots = 0

    /// The phase; nil for downloads that aren't in the run.
    package subscript(id: DownloadID) -> Phase? {
        get { phases[id] }
        set {
            let old = phases.updateOrRemove(newValue, at: id)
            if let old { counts[old.kind.rawValue] -= 1 }
            if let newValue { counts[newValue.kind.rawValue] += 1 }
            slots += Self.slots(newValue) - Self.slots(old)
            if case .running? = newValue { running.insert(id) } else if case .running? = old { running.remove(id) }
        }
    }

    package subscript(turn id: DownloadID) -> Turn? {
        if case .running(let turn)? = phases[id] { turn } else { nil }
    }

    private static func slots(_ phase: Phase?) -> Int {
        if case .running(let turn)? = phase, turn.hasSlot { 1 } else { 0 }
    }

    func count(_ kind: Phase.Kind) -> Int { counts[kind.rawValue] }

    /// Whether nothing is in progress and nothing held.
    var isQuiet: Bool {
        count(.running) + count(.held) + count(.digesting) + count(.placing) + count(.emptying) == 0
    }

    /// All downloads, in no order.
    package var all: some Sequence<(key: DownloadID, value: Phase)> { phases }

    /// The downloads that have ended in this run, with their states.
    package var settled: [DownloadID: DownloadState] {
        phases.compactMapValues { if case .settled(let state) = $0 { state } else { nil } }
    }
}

extension Dictionary {
    fileprivate mutating func updateOrRemove(_ value: Value?, at key: Key) -> Value? {
        if let value { updateValue(value, forKey: key) } else { removeValue(forKey: key) }
    }
}
