import Synchronization

/// The reason why two ranges of a partial that touch aren't one.
package enum JointConflict: Sendable, Equatable {
    /// Two connections have brought different bytes for the same place.
    case differs
    /// All compared bytes are the same one, as in padding, which looks the same in all files.
    case provesNothing
}

/// The parts of a file that several transfers write at the same time, and where they meet.
extension PartialFile {
    /// The size of the file is known, and several transfers may write to it from now on.
    ///
    /// - Parameter overlap: how many bytes are compared where two of them meet; 0 where the validator is proof enough.
    package func identify(total: Int64, overlap: Int64) {
        state.withLock { state in
            state.whole = (total, overlap)
            for range in state.taken { range.bound(to: total, overlap: overlap) }
        }
    }

    /// Lends these bytes to a transfer, or all after them; nil while another one has some of them.
    package func take(_ bytes: Range<Int64>) throws(FileError) -> FileRange? {
        let descriptor = try open()
        return lend { state in
            guard !state.taken.contains(where: { $0.isOver(bytes) }) else { return nil }
            return FileRange(of: self, descriptor, bytes, continues: state.extents.extent(endingAt: bytes.lowerBound))
        }
    }

    /// Lends the first part that is missing and that no transfer has, else half of the one that has most left. Nil if
    /// each half would be smaller than `least`, or if the size of the file isn't known.
    package func takeNext(least: Int64) throws(FileError) -> FileRange? {
        let descriptor = try open()
        return lend { state in
            guard let whole = state.whole else { return nil }
            var part = state.extents.missing(of: whole.total, besides: state.taken.map(\.remaining)).first
            if part == nil {
                part = state.taken.max { $0.remaining.count < $1.remaining.count }?.split(least: least)
            }
            return part.map {
                FileRange(of: self, descriptor, $0, continues: state.extents.extent(endingAt: $0.lowerBound))
            }
        }
    }

    private func lend(_ make: (inout State) -> FileRange?) -> FileRange? {
        let (range, isAlone) = state.withLock { state in
            let range = make(&state)
            if let range { state.taken.append(range) }
            if let whole = state.whole { range?.bound(to: whole.total, overlap: whole.overlap) }
            return (range, state.taken.count == 1 && state.extents.beyond.isEmpty)
        }
        // The record of what a kill would lose is of one place.
        if range != nil, !isAlone { unflushed?.forget() }
        return range
    }

    /// Takes back what ``take(_:)`` has lent, and joins what touches. What is missing after it, or instead of it, is
    /// left to the transfer of the part before, if that will come to it.
    func giveBack(_ range: FileRange) {
        state.withLock { state in
            state.taken.removeAll { $0 === range }
            if let joint = range.joint { state.joints[joint.offset] = joint.bytes }
            if let end = range.unprovenEnd { state.extents.cut(at: end) }
            guard let whole = state.whole, !range.remaining.isEmpty else { return }
            for gap in state.extents.missing(of: whole.total, besides: state.taken.map(\.remaining)) {
                for other in state.taken { other.goOn(into: gap) }
            }
        }
        join()
        digest?.announce(length, in: range.descriptor)
    }

    /// What is missing of the first `total` bytes, and not taken by any transfer.
    package func missing(of total: Int64) -> [Range<Int64>] {
        state.withLock { $0.extents.missing(of: total, besides: $0.taken.map(\.remaining)) }
    }

    /// Set if two ranges that touch can't be joined.
    package var conflict: JointConflict? { state.withLock { $0.conflict } }

    /// Drops all bytes after the first gap, and what isn't joined. Only between transfers.
    package func dropBeyond() throws(FileError) {
        let length = self.length
        try open().truncate(to: length)
        state.withLock { state in
            state.extents = PartialExtents(length: length)
            state.joints = [:]
            state.conflict = nil
        }
    }

    /// Compares what two connections have brought for the same place, and joins their ranges if that is equal.
    private func join() {
        while let (offset, bytes) = nextJoint() {
            var conflict: JointConflict?
            if !bytes.isEmpty {
                let held = try? self.bytes(at: offset, count: bytes.count, within: extents.end)
                conflict = held != bytes ? .differs : bytes.allSatisfy { $0 == bytes[0] } ? .provesNothing : nil
            }
            let length = state.withLock { state in
                state.joints[offset] = nil
                if let conflict {
                    state.conflict = state.conflict == .differs ? .differs : conflict
                } else {
                    state.extents.join(at: offset)
                }
                return state.extents.length
            }
            written.store(length, ordering: .releasing)
        }
    }

    /// A place where two ranges touch, and all bytes are there that are to be compared.
    private func nextJoint() -> (Int64, [UInt8])? {
        state.withLock { state in
            for (offset, bytes) in state.joints {
                guard let next = state.extents.beyond.first(where: { $0.lowerBound == offset }) else {
                    // What comes after it may have been lost, and continues the bytes before it then.
                    let isTaken = state.taken.contains { $0.start == offset && $0.extent == offset }
                    if !isTaken { state.joints[offset] = nil }
                    continue
                }
                if next.count >= bytes.count { return (offset, bytes) }
            }
            return nil
        }
    }
}

extension FileRange {
    /// Whether some of these bytes are still to be written by it.
    func isOver(_ bytes: Range<Int64>) -> Bool {
        let remaining = remaining
        return remaining.lowerBound < bytes.upperBound && bytes.lowerBound < remaining.upperBound
    }
}
