import SyncFacts

/// Distinguishes a course with lost files from one whose disk is missing.
package struct LossGuard: Sendable {
    package init() {}

    /// The number of a course's finished videos, and of those whose files are missing.
    package struct Tally: Sendable {
        package var finished = 0
        package var lost = 0
        /// The path of a missing one.
        package var example = ""

        package init(finished: Int = 0, lost: Int = 0, example: String = "") {
            self.finished = finished
            self.lost = lost
            self.example = example
        }
    }

    /// The limit on missing files: a tenth, and always one. Independent of `--max-delete`, which says nothing about
    /// missing disks.
    private static let limit = MaxDelete.percent(10)

    /// The courses that have lost too much: each more than the limit, or all of their files if that is too much
    /// together.
    package func held(_ tallies: [Tally]) -> [Int] {
        var held = Set(tallies.indices.filter { isTooMuch(tallies[$0].lost, of: tallies[$0].finished) })
        let emptied = tallies.indices.filter { tallies[$0].lost > 0 && tallies[$0].lost == tallies[$0].finished }
        let finished = tallies.reduce(0) { $0 + $1.finished }
        if emptied.count > 1, isTooMuch(emptied.reduce(0) { $0 + tallies[$1].lost }, of: finished) {
            held.formUnion(emptied)
        }
        return held.sorted()
    }

    private func isTooMuch(_ lost: Int, of finished: Int) -> Bool {
        lost > max(1, Self.limit.limit(finished: finished))
    }
}
