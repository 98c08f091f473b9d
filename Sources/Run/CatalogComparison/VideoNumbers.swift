import CourseCatalog
import DownloadStore

/// The numbers of all videos of a run: those that their rows have, and once all rows have been read those that they
/// get.
///
/// A number belongs to one video of its season, and one of its course, whatever chapter and state it is in.
struct VideoNumbers {
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

    /// By the number of the slot; once all are settled, what a video gets instead.
    private var recorded: [Recorded] = []
    /// By the index of the course.
    private var gone: [Int: Gone] = [:]
    /// Whether all rows have been read.
    private(set) var isSettled = false

    init(slots: Int) { recorded = Array(repeating: Recorded(), count: slots) }

    /// Those that the register gives.
    init(_ register: RegisteredNames) {
        recorded = register.videos.map { video in
            guard let numbers = video?.numbers else { return Recorded() }
            return Recorded(
                number: Int32(clamping: numbers.number), index: Int32(clamping: numbers.index),
                keepsNumber: numbers.keepsNumber)
        }
        isSettled = true
    }

    /// The numbers of a video; before all are settled, those of its row.
    subscript(slot: Int) -> Numbers {
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

    mutating func noteGone(_ row: ScannedDownload, course: Int, season: Int?) {
        if let season, let number = row.number(.number) {
            gone[course, default: Gone()].bySeason[season, default: []].insert(number)
        }
        if let index = row.number(.numberInCourse) { gone[course, default: Gone()].indices.insert(index) }
    }

    /// Settles all numbers. Returns the slots whose rows have others, or that have no row.
    mutating func settle(_ entries: CatalogEntries, _ chapters: [ChapterNumbers]) -> [Int] {
        var changed: [Int] = []
        var start = 0
        while start < recorded.count {
            let course = entries.slots[start].course
            let slots = start..<start + entries.course(entries.slots[start]).videoCount
            start = slots.upperBound
            // Nearly always nothing has changed.
            if isAsRecorded(slots, entries, chapters[Int(course)]) { continue }
            for (slot, new) in zip(
                slots, settled(slots, of: entries, chapters: chapters[Int(course)], gone: gone[Int(course)] ?? Gone()))
            {
                if new.number != recorded[slot].number || new.index != recorded[slot].index { changed.append(slot) }
                recorded[slot] = new
            }
        }
        isSettled = true
        return changed
    }

    /// Whether a look at the rows of a course shows that its videos keep their numbers: nothing is gone, and all are
    /// listed and have theirs, or all stand in the catalog as they are numbered. No source numbers any.
    private func isAsRecorded(_ slots: Range<Int>, _ entries: CatalogEntries, _ chapters: ChapterNumbers) -> Bool {
        guard let first = slots.first else { return true }
        let course = entries.course(entries.slots[first])
        guard gone[Int(entries.slots[first].course)] == nil else { return false }
        let isListed = course.discover
        var counts: [Int: Int32] = [:]
        var slot = first
        for (chapter, videos) in [(-1, course.videos)] + course.chapters.enumerated().map({ ($0, $1.videos) }) {
            // What has never been listed may be, at its old place.
            guard videos.isUnnumbered(isListed: isListed && !course.isUnlisted) else { return false }
            let season = chapters.season(at: chapter)
            var number = counts[season, default: 0]
            for next in slot..<slot + videos.count {
                number += 1
                let found = recorded[next]
                let isAsBefore =
                    isListed
                    ? found.number >= 0 && found.index >= 0
                    : found.number == number && found.index == Int32(next - first + 1)
                guard isAsBefore else { return false }
            }
            counts[season] = number
            slot += videos.count
        }
        return slot == slots.upperBound
    }

    private func settled(
        _ slots: Range<Int>, of entries: CatalogEntries, chapters: ChapterNumbers, gone: Gone
    ) -> [Recorded] {
        var settled = Array(recorded[slots])
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
            for (slot, number) in zip(members, given) {
                settled[slot - slots.lowerBound].number = Int32(clamping: number)
            }
        }
        for (offset, slot) in slots.enumerated() {
            items[offset].recorded = recorded[slot].index < 0 ? nil : Int(recorded[slot].index)
            items[offset].source = nil
        }
        let given = Numbering.numbers(of: items, gone: gone.indices)
        for (offset, index) in given.enumerated() { settled[offset].index = Int32(clamping: index) }
        return settled
    }
}
