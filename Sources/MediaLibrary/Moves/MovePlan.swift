import Foundation

/// One file that is to have another path.
package struct PlannedMove: Sendable, Hashable, Codable {
    /// `<plan>-<number>`; no other move ever has it.
    package var id: String
    /// The URL of the file.
    package var from: String
    /// Where it belongs.
    package var to: String

    package init(id: String, from: String, to: String) {
        self.id = id
        self.from = from
        self.to = to
    }
}

/// Why moves can't be done together. Each is a bug of the caller's.
package enum MovePlanError: Error, Sendable, Hashable {
    /// Two moves of one file.
    case fromTwice(String)
    /// Two files to one path, or to paths that some file systems take for one.
    case toTwice(String)
}

/// All moves of a sync as one set: swaps, cycles and chains are no different from others.
///
/// The plan is recorded, then run, then the new paths are recorded in the transaction that deletes it. Being recorded it can be
/// run again after a kill at any instant, see ``Moves/carryOut(_:)``.
package struct MovePlan: Sendable, Hashable {
    /// 16 hexadecimal digits that no other plan has.
    package let id: String
    /// All of them, carried out as one.
    package let moves: [PlannedMove]

    /// Plans moves; what stays where it is isn't part of it. Nil if nothing is left.
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

    /// A plan as it was recorded, in any order. Nil if there is none; moves whose id isn't one are left out.
    package init?(recorded: [PlannedMove]) {
        guard let id = recorded.lazy.compactMap({ Self.planID(of: $0.id) }).first else { return nil }
        self.init(id: id, moves: recorded.filter { Self.planID(of: $0.id) == id })
    }

    private init(id: String, moves: [PlannedMove]) {
        self.id = id
        self.moves = moves
    }

    /// The plan that a move's id or the name of a file in `moving/` belongs to.
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

/// What became of a planned move.
package enum MoveResult: Sendable, Hashable {
    /// The file is at this path: the planned one, or `… [2].ext` beside it if somebody else's file stood there.
    case moved(String)
    /// There was no file to move.
    case missing
    /// It could not be moved, and is at this path: where it was, or beside it if that was taken meanwhile.
    case stayed(String, LibraryError)
}
