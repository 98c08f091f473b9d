/// Gives numbers to the items of one list, in their order: each number to one item, and none that something gone has.
///
/// A number is the source's. Else an item whose place its provider lists keeps the one it has, or gets a new one, and
/// an item that the catalog places is numbered by its place. Related: docs/catalog.md, "Numbers".
struct Numbering {
    /// A video or a chapter.
    struct Item {
        /// The number that it has; nil for a new one.
        var recorded: Int?
        /// The number by its source.
        var source: Int?
        /// Whether the catalog says where it stands, not its provider's listing.
        var isByHand: Bool
        /// Whether it keeps its number although its source has another.
        var keepsNumber = false

        /// Whether it surely has its number.
        fileprivate var isSettled: Bool { recorded != nil && (source == nil || keepsNumber || recorded == source) }
    }

    /// Where the source numbers items, those that it leaves out are numbered above the next multiple of this: its next
    /// numbers are its own.
    static let reserve = 1000
    /// The numbers that are tried between two neighbours beyond those that are needed.
    private static let patience = 64

    private let items: [Item]
    /// The numbers of what is gone.
    private let gone: Set<Int>
    private let first: Int
    private var numbers: [Int?]
    private var taken: Set<Int> = []

    private init(_ items: [Item], gone: Set<Int>, first: Int) {
        self.items = items
        self.gone = gone
        self.first = first
        numbers = items.map { _ in nil }
    }

    /// The number of each item.
    ///
    /// - Parameter first: the least number that isn't the source's.
    static func numbers(of items: [Item], gone: Set<Int> = [], from first: Int = 1) -> [Int] {
        // Nearly always nothing has changed.
        if items.allSatisfy({ !$0.isByHand && $0.isSettled }) { return items.map { $0.recorded ?? first } }
        if gone.isEmpty, items.allSatisfy({ $0.isByHand && $0.source == nil }) {
            return items.indices.map { first + $0 }
        }
        var numbering = Numbering(items, gone: gone, first: first)
        numbering.keep()
        numbering.takeSources()
        numbering.count()
        numbering.giveNew()
        return numbering.numbers.map { $0 ?? first }
    }

    /// What is listed keeps its number, unless its source says one.
    private mutating func keep() {
        for (index, item) in items.enumerated()
        where !item.isByHand && (item.source == nil || item.keepsNumber) && item.recorded != nil {
            give(item.recorded, to: index)
        }
    }

    /// Of several with one number of the source, the one that has it is first.
    private mutating func takeSources() {
        for (index, item) in items.enumerated()
        where numbers[index] == nil && item.source != nil && item.source == item.recorded {
            give(item.source, to: index)
        }
        for (index, item) in items.enumerated() where numbers[index] == nil {
            if let source = item.source, isFree(source) { give(source, to: index) }
        }
        for (index, item) in items.enumerated() where numbers[index] == nil && !item.isByHand && item.source != nil {
            if let recorded = item.recorded, isFree(recorded) { give(recorded, to: index) }
        }
    }

    /// By hand: each has the number after the one before, but none that another item keeps. One that it shares with
    /// something gone stays its own.
    private mutating func count() {
        var number = first - 1
        for (index, item) in items.enumerated() where item.isByHand {
            if let source = numbers[index] {
                number = source
                continue
            }
            number += 1
            while taken.contains(number) || (gone.contains(number) && item.recorded != number) { number += 1 }
            give(number, to: index)
        }
    }

    /// New ones between two others get the numbers between theirs, if there are enough; all others are the last.
    private mutating func giveNew() {
        guard numbers.contains(nil) else { return }
        let sources = items.compactMap(\.source).max()
        let highest = max(taken.max() ?? 0, gone.max() ?? 0, first - 1)
        var last = sources.map { ($0 / Self.reserve + 1) * Self.reserve } ?? highest
        var index = items.startIndex
        while index < items.endIndex {
            guard numbers[index] == nil else {
                index += 1
                continue
            }
            let end = numbers[index...].firstIndex { $0 != nil } ?? items.endIndex
            if sources == nil, end < items.endIndex, let between = numbersBetween(index, end) {
                for (place, number) in zip(index..<end, between) { give(number, to: place) }
            } else {
                for place in index..<end {
                    repeat { last += 1 } while !isFree(last)
                    give(last, to: place)
                }
            }
            index = end
        }
    }

    /// Free numbers for the items from `start` to before `end`, which has one; nil if there are too few. At the
    /// beginning they are those before the next number, else those after the previous one.
    private func numbersBetween(_ start: Int, _ end: Int) -> [Int]? {
        guard let next = numbers[end] else { return nil }
        let previous = start > items.startIndex ? numbers[start - 1] : nil
        let low = previous ?? first - 1
        guard next - low > end - start else { return nil }
        let tries = end - start + Self.patience
        let found =
            previous == nil
            ? (low + 1..<next).reversed().prefix(tries).filter(isFree).prefix(end - start).reversed()
            : (low + 1..<next).prefix(tries).filter(isFree).prefix(end - start).map { $0 }
        return found.count == end - start ? found : nil
    }

    private func isFree(_ number: Int) -> Bool { !taken.contains(number) && !gone.contains(number) }

    private mutating func give(_ number: Int?, to index: Int) {
        guard let number else { return }
        numbers[index] = number
        taken.insert(number)
    }
}
