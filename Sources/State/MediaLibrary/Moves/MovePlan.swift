import Foundation

/// A file with a new path.
package struct PlannedMove: Sendable, Hashable, Codable {
    /// `<plan>-<number>`; unique among all moves.
    package var id: String
    /// The file's present path.
    package var from: String
    /// The file's new path.
    package var to: String

    package init(id: String, from: String, to: String) {
        self.id = id
        self.from = from
        self.to = to
    }
}

/// The reason why moves conflict. Each is a bug of the caller.
package enum MovePlanError: Error, Sendable, Hashable {
    /// Two moves of one file.
    case fromTwice(String)
    /// Two files to one path, or to paths that some file systems treat as equal.
    case toTwice(String)
}

/// All moves of a sync as one set: swaps, cycles and chains need no special treatment.
///
/// The plan is recorded, then carried out, then the new paths are recorded in the transaction that deletes its moves. A
/// recorded plan can be run again after a kill at any instant, see ``Moves/carryOut(_:)``. Plans don't affect each
/// other.
package struct MovePlan: Sendable, Hashable {
    /// 16 hexadecimal digits, unique to the plan.
    package let id: String
    /// All moves, carried out together.
    package let moves: [PlannedMove]

    /// Plans moves, without files that stay in place. Nil if nothing is left.
    package static func plan(
        _ moves: some Sequence<(from: String, to: String)>
    ) throws(MovePlanError) -> MovePlan? {
        let id = String(LibraryID.random().rawValue.prefix(16))
        var planned: [PlannedMove] = []
        var sources: Set<String> = []
        var targets: Set<String> = []
        for move in moves where move.from != move.to {
            guard sources.insert(move.from).inserted else { throw .fromTwice(move.from) }
            guard targets.insert(LibraryName.key(move.to)).inserted else { throw .toTwice(move.to) }
            planned.append(PlannedMove(id: "\(id)-\(planned.count)", from: move.from, to: move.to))
        }
        return planned.isEmpty ? nil : MovePlan(id: id, moves: planned)
    }

    /// The plans of recorded moves, which may be in any order, and only some of a plan's; those with an invalid id are
    /// ignored.
    package static func plans(recorded: [PlannedMove]) -> [MovePlan] {
        let plans = Dictionary(grouping: recorded) { planID(of: $0.id) }
        return plans.compactMap { id, moves in id.map { MovePlan(id: $0, moves: moves) } }.sorted { $0.id < $1.id }
    }

    private init(id: String, moves: [PlannedMove]) {
        self.id = id
        self.moves = moves
    }

    /// The plan of a move's id, or of a file's name in `moving/`.
    static func planID(of name: String) -> String? {
        let plan = name.prefix { $0 != "-" && $0 != "." }
        guard plan.utf8.count == 16, plan.utf8.count < name.utf8.count,
            plan.utf8.allSatisfy({
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            })
        else { return nil }
        return String(plan)
    }
}

package enum MoveResult: Sendable, Hashable {
    /// The file is at this path: the planned one, or `… [2].ext` beside it if somebody else's file was there.
    case moved(String)
    /// There was no file to move.
    case missing
    /// It could not be moved, and is at this path: the old one, or beside it if that was taken in the meantime.
    case stayed(String, LibraryError)
    /// It could go neither way and is in `moving/`, or its new name may not be durable: the move stays recorded, and is
    /// carried out again.
    case unfinished(LibraryError)
}
