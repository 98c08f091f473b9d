/// Finds duplicate ids in a course. An open hash table over the texts in place: no string is made. Ids have their one
/// spelling, so that equal ones have equal bytes.
struct IdentifierTable {
    private struct Slot {
        var hash: UInt32
        var record: UInt32
    }

    private var slots: [Slot] = []
    private var count = 0

    /// Forgets all ids and keeps the memory.
    mutating func removeAll() {
        guard count > 0 else { return }
        count = 0
        // A course of few videos shouldn't have to clear the table of one of many.
        slots = slots.count > 1024 ? [] : [Slot](repeating: Slot(hash: 0, record: VideoRecord.none), count: slots.count)
    }

    /// Adds the id of `records[index]`; returns the index of the record with the same id, if there is one.
    mutating func insert(_ index: Int, records: [VideoRecord], text: [UInt8]) -> Int? {
        if count * 4 >= slots.count * 3 { grow() }
        return text.withUnsafeBytes { text in
            let id = Self.bytes(of: records[index].id, in: text)
            let hash = Self.hash(id)
            var place = Int(hash) & (slots.count - 1)
            while slots[place].record != VideoRecord.none {
                if slots[place].hash == hash {
                    let other = Self.bytes(of: records[Int(slots[place].record)].id, in: text)
                    if id.elementsEqual(other) { return Int(slots[place].record) }
                }
                place = (place + 1) & (slots.count - 1)
            }
            slots[place] = Slot(hash: hash, record: UInt32(index))
            count += 1
            return nil
        }
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(hash: 0, record: VideoRecord.none), count: max(64, old.count * 2))
        for slot in old where slot.record != VideoRecord.none {
            var place = Int(slot.hash) & (slots.count - 1)
            while slots[place].record != VideoRecord.none { place = (place + 1) & (slots.count - 1) }
            slots[place] = slot
        }
    }

    private static func hash(_ id: UnsafeRawBufferPointer) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(bytes: id)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    private static func bytes(of place: TextRange, in text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: text[Int(place.offset)..<Int(place.offset) + Int(place.count)])
    }
}
