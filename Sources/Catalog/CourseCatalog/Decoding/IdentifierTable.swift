/// Finds duplicate ids in a course. An open hash table over the texts in place: no string is made. Ids have their one
/// spelling, so that equal ones have equal bytes.
struct IdentifierTable {
    /// An index of records in the lower 24 bits, and a part of the id's hash in the others.
    private var slots: [UInt32] = []
    private var count = 0

    private static let empty = UInt32.max
    private static let indexBits: UInt32 = 24
    private static let indexMask: UInt32 = 1 << indexBits - 1

    /// Forgets all ids and keeps the memory.
    mutating func removeAll() {
        guard count > 0 else { return }
        count = 0
        // A course of few videos shouldn't have to clear the table of one of many.
        slots = slots.count > 1024 ? [] : [UInt32](repeating: Self.empty, count: slots.count)
    }

    /// Adds the id of `records[index]`; returns the index of the record with the same id, if there is one. An index is
    /// below 16,777,215: fewer videos have room in the memory that a catalog may take.
    mutating func insert(_ index: Int, records: RecordBlocks, text: TextBlocks) -> Int? {
        precondition(index < Self.indexMask, "too many videos")
        if count * 4 >= slots.count * 3 { grow(records, text) }
        return text.withBytes(of: records[index].id) { id in
            let hash = Self.hash(id)
            let tag = hash & ~Self.indexMask
            var place = Int(hash) & (slots.count - 1)
            while slots[place] != Self.empty {
                let other = Int(slots[place] & Self.indexMask)
                if slots[place] & ~Self.indexMask == tag,
                    text.withBytes(of: records[other].id, { $0.elementsEqual(id) })
                {
                    return other
                }
                place = (place + 1) & (slots.count - 1)
            }
            slots[place] = tag | UInt32(index)
            count += 1
            return nil
        }
    }

    private mutating func grow(_ records: RecordBlocks, _ text: TextBlocks) {
        let old = slots
        slots = [UInt32](repeating: Self.empty, count: max(64, old.count * 2))
        for slot in old where slot != Self.empty {
            let hash = text.withBytes(of: records[Int(slot & Self.indexMask)].id, Self.hash)
            var place = Int(hash) & (slots.count - 1)
            while slots[place] != Self.empty { place = (place + 1) & (slots.count - 1) }
            slots[place] = slot
        }
    }

    private static func hash(_ id: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
