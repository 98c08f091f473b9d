import SeededGenerator
import Testing

@testable import MediaTransfer

@Suite("which bytes of a file are there")
struct PartialExtentsTests {
    private static let least = PartialExtents.least

    @Test("ranges that touch are two until they are joined")
    func joining() {
        var extents = PartialExtents(length: 0)
        extents.add(10, at: 0, isNew: false)
        extents.add(5, at: 20, isNew: true)
        #expect(extents.ranges == [0..<10, 20..<25])
        extents.join(at: 10)
        #expect(extents.length == 10 && extents.count == 15 && extents.end == 25)
        extents.add(10, at: 10, isNew: false)
        #expect(extents.ranges == [0..<20, 20..<25])
        extents.join(at: 20)
        #expect(extents.ranges == [0..<25])
        // The transfer that began the second one goes on.
        extents.add(5, at: 25, isNew: false)
        #expect(extents.ranges == [0..<30])
    }

    @Test("what is missing is neither there nor taken")
    func missing() {
        let extents = PartialExtents(length: 10, beyond: [20..<30, 40..<50])
        #expect(extents.missing(of: 60) == [10..<20, 30..<40, 50..<60])
        #expect(extents.missing(of: 60, besides: [12..<20, 50..<60]) == [10..<12, 30..<40])
        #expect(extents.missing(of: 45) == [10..<20, 30..<40])
        #expect(PartialExtents(length: 60).missing(of: 60) == [])
        #expect(PartialExtents(length: 0).missing(of: 60, besides: [0..<Int64.max]) == [])
    }

    @Test("ranges of a row that aren't in order are left out")
    func order() {
        #expect(PartialExtents(length: 10, beyond: [5..<20, 30..<40, 35..<50, 50..<50]).ranges == [0..<10, 30..<40])
        #expect(PartialExtents(length: -1).ranges == [0..<0])
    }

    @Test("where nothing will prove a joint, the beginning of what follows is missing again")
    func cut() {
        let least = Self.least
        var extents = PartialExtents(length: 10, beyond: [10..<(4 * least)])
        extents.cut(at: 20)
        #expect(extents.beyond.first == 10..<(4 * least))
        extents.cut(at: 10)
        #expect(extents.length == 10)
        #expect(extents.beyond.first == (10 + least)..<(4 * least))
        var small = PartialExtents(length: 10, beyond: [10..<(2 * least)])
        small.cut(at: 10)
        #expect(small.beyond.count == 1)
        #expect(small.beyond.first == 10..<(2 * least))
    }

    @Test("after an interruption a joint that wasn't proven becomes a gap, and what the file lacks is missing")
    func settled() {
        let least = Self.least
        var beyond: [Range<Int64>] = [10..<(4 * least)]
        beyond += [(4 * least)..<(6 * least)]
        beyond += [(8 * least)..<(8 * least + 9)]
        let extents = PartialExtents(length: 10, beyond: beyond)
        let second: Range<Int64> = (10 + least)..<(4 * least)
        let third: Range<Int64> = (5 * least)..<(6 * least)
        let short: Range<Int64> = second.lowerBound..<(3 * least)
        #expect(Array(extents.settled(fileSize: 20 * least).beyond) == [second, third])
        #expect(Array(extents.settled(fileSize: 3 * least).beyond) == [short])
        #expect(extents.settled(fileSize: 5).ranges == [0..<5])
    }

    @Test("transfers in any order, with parts given away and lost, write each byte once", arguments: 0..<200)
    func random(seed: UInt64) {
        struct Writer {
            var position: Int64
            var limit: Int64
            var extent: Int64
        }
        var chance = SeededGenerator(seed: seed)
        let total: Int64 = 1000
        var (extents, counts, writers) = (PartialExtents(length: 0), [Int](repeating: 0, count: 1000), [Writer]())
        for _ in 0..<5000 where extents.length < total {
            if writers.count < 5, Bool.random(using: &chance) {
                let missing = extents.missing(of: total, besides: writers.map { $0.position..<$0.limit })
                if let gap = missing.first {
                    writers.append(
                        Writer(
                            position: gap.lowerBound, limit: gap.upperBound,
                            extent: extents.extent(endingAt: gap.lowerBound)))
                } else if let index = writers.indices.randomElement(using: &chance),
                    writers[index].limit - writers[index].position > 20
                {
                    let middle = (writers[index].limit + writers[index].position) / 2
                    let given = Writer(
                        position: middle, limit: writers[index].limit, extent: extents.extent(endingAt: middle))
                    writers[index].limit = middle
                    writers.append(given)
                }
            }
            guard let index = writers.indices.randomElement(using: &chance) else { continue }
            let writer = writers[index]
            let count = min(Int64.random(in: 1...30, using: &chance), writer.limit - writer.position)
            let isNew = writer.position == writer.extent && writer.position > 0
            extents.add(count, at: writer.position, isNew: isNew)
            for offset in writer.position..<writer.position + count { counts[Int(offset)] += 1 }
            writers[index].position += count
            // Its joint with what follows is proven, if that is there; or its connection breaks.
            if writers[index].position == writers[index].limit {
                extents.join(at: writers[index].limit)
                writers.remove(at: index)
            } else if Int.random(in: 0..<8, using: &chance) == 0 {
                writers.remove(at: index)
            }
            for touching in zip(extents.ranges, extents.ranges.dropFirst()) {
                #expect(touching.0.upperBound <= touching.1.lowerBound)
                let isEnded = !writers.contains { $0.limit == touching.1.lowerBound && $0.position < $0.limit }
                if isEnded { extents.join(at: touching.1.lowerBound) }
            }
        }
        #expect(extents.ranges == [0..<total], "seed \(seed)")
        #expect(counts.allSatisfy { $0 == 1 }, "seed \(seed)")
    }
}
