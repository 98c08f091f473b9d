import CourseCatalog
import DownloadStore

/// The numbers of all videos of a run: those that their rows have, and once all rows have been read those that they get.
///
/// A number belongs to one video of its season, and one of its course, whatever chapter and state it is in.
struct VideoNumbers {
    /// The numbers of a video.
    struct Numbers: Equatable {
        /// In its season.
        var number: Int
        /// In its course.
        var index: Int
        /// Whether it keeps its number although its source has another.
        var keepsNumber: Bool
    }

    /// What a row says. A missing number is negative.
    private struct Recorded {
        var number: Int32 = -1
        var index: Int32 = -1
        var keepsNumber = false
    }

    /// Numbers that nobody else gets.
    private struct Gone {
        var bySeason: [Int: Set<Int>] = [:]
        var indices: Set<Int> = []
    }

    /// By the number of the slot.
    private var recorded: [Recorded] = []
    /// By the index of the course.
    private var gone: [Int: Gone] = [:]
    /// By the number of the slot; empty until all rows have been read.
    private var settled: [Numbers] = []

    /// Whether all rows have been read.
    var isSettled: Bool { !settled.isEmpty }

    init(slots: Int) { recorded = Array(repeating: Recorded(), count: slots) }

    /// The numbers of a video; before all are settled, those of its row.
    subscript(slot: Int) -> Numbers {
        if isSettled { return settled[slot] }
        let found = recorded[slot]
        return Numbers(
            number: max(0, Int(found.number)), index: max(0, Int(found.index)), keepsNumber: found.keepsNumber)
    }

    /// Notes the numbers of a video's row.
    ///
    /// - Parameter isElsewhere: It was in another chapter: it gets a new number there.
    mutating func note(_ row: ScannedDownload, at slot: Int, isElsewhere: Bool, isLaidOutAnew: Bool) {
        recorded[slot] = Recorded(
            number: isElsewhere ? -1 : Int32(row.number(.number) ?? -1),
            index: Int32(row.number(.numberInCourse) ?? -1),
            keepsNumber: !isElsewhere && !isLaidOutAnew && row.integer(.keepsNumber) != 0)
    }

    /// Notes the numbers of a row whose video is gone.
    mutating func noteGone(_ row: ScannedDownload, course: Int, season: Int?) {
        if let season, let number = row.number(.number) {
            gone[course, default: Gone()].bySeason[season, default: []].insert(number)
        }
        if let index = row.number(.numberInCourse) { gone[course, default: Gone()].indices.insert(index) }
    }

    /// Settles all numbers. Returns the slots whose rows have others, or that have no row.
    mutating func settle(_ entries: CatalogEntries, _ chapters: [ChapterNumbers]) -> [Int] {
        var numbers = (0..<recorded.count).map { self[$0] }
        var start = 0
        while start < recorded.count {
            let course = entries.slots[start].course
            let end = entries.slots[start...].firstIndex { $0.course != course } ?? recorded.count
            settle(start..<end, entries, chapters[Int(course)], gone[Int(course)] ?? Gone(), in: &numbers)
            start = end
        }
        settled = numbers
        return numbers.indices.filter {
            numbers[$0].number != Int(recorded[$0].number) || numbers[$0].index != Int(recorded[$0].index)
        }
    }

    private func settle(
        _ slots: Range<Int>, _ entries: CatalogEntries, _ chapters: ChapterNumbers, _ gone: Gone,
        in numbers: inout [Numbers]
    ) {
        // What has never been listed may be, at its old place.
        let mayBeListed = slots.first.map { entries.course(entries.slots[$0]).isUnlisted } ?? false
        var seasons: [Int: [Int]] = [:]
        var items: [Numbering.Item] = []
        items.reserveCapacity(slots.count)
        for slot in slots {
            let video = entries.video(entries.slots[slot])
            let found = recorded[slot]
            items.append(
                .init(
                    recorded: found.number < 0 ? nil : Int(found.number), source: video.episode,
                    isByHand: !video.isPlacedByListing && !mayBeListed, keepsNumber: found.keepsNumber))
            seasons[chapters.season(at: Int(entries.slots[slot].chapter)), default: []].append(slot)
        }
        for (season, members) in seasons {
            let given = Numbering.numbers(
                of: members.map { items[$0 - slots.lowerBound] }, gone: gone.bySeason[season] ?? [])
            for (slot, number) in zip(members, given) { numbers[slot].number = number }
        }
        for (offset, slot) in slots.enumerated() {
            items[offset].recorded = recorded[slot].index < 0 ? nil : Int(recorded[slot].index)
            items[offset].source = nil
        }
        let given = Numbering.numbers(of: items, gone: gone.indices)
        for (slot, index) in zip(slots, given) { numbers[slot].index = index }
    }
}
