import SyncFacts

/// Tells a course whose files were lost from one whose disk isn't there.
package struct LossGuard: Sendable {
    package init() {}

    /// Finished videos of a course, and those of them whose files are gone.
    package struct Tally: Sendable {
        package var finished = 0
        package var lost = 0
        /// The path of one that is gone.
        package var example = ""

        package init(finished: Int = 0, lost: Int = 0, example: String = "") {
            self.finished = finished
            self.lost = lost
            self.example = example
        }
    }

    /// How many may be gone: a tenth, and one in any case. A number of its own: who allows much to be pruned says nothing
    /// about disks that aren't there.
    private static let limit = MaxDelete.percent(10)

    /// Which of the courses have lost too much: more than the limit each, or everything where that is too much together.
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
