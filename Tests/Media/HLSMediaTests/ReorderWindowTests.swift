import HLSMedia
import SeededGenerator
import Testing

@Suite("the reorder window")
struct ReorderWindowTests {
    @Test("under any order of arrival and any failures, each segment comes out once and in order", arguments: 0..<200)
    func anyOrder(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let count = Int(dice.next() % 60)
        let first = count == 0 ? 0 : Int(dice.next() % UInt64(count))
        let width = 1 + Int(dice.next() % 9)
        var window = ReorderWindow<Int>(count: count, next: first, width: width, byteLimit: 1000)
        var onTheWay: [Int] = []
        var out: [Int] = []
        var steps = 0
        while !window.isComplete {
            steps += 1
            #expect(steps < 10_000)
            guard steps < 10_000 else { return }
            while let index = window.candidate {
                #expect(!onTheWay.contains(index) && index >= window.next && index < count)
                window.start(index)
                onTheWay.append(index)
                #expect(window.inFlight == onTheWay.count && onTheWay.count <= width + 1)
                // Now and then there is no connection to be had.
                if dice.next() % 4 == 0 { break }
            }
            guard !onTheWay.isEmpty else { continue }
            let index = onTheWay.remove(at: Int(dice.next() % UInt64(onTheWay.count)))
            if dice.next() % 5 == 0 {
                window.failed(index)
            } else {
                window.arrived(index, index, bytes: Int(dice.next() % 400))
            }
            while let body = window.pop() {
                if dice.next() % 7 == 0 {
                    window.putBack(body, bytes: 1)
                } else {
                    out.append(body)
                }
            }
        }
        #expect(out == Array(first..<count))
        #expect(window.candidate == nil && window.pop() == nil)
    }

    @Test("held and announced bytes stay within the limit; the awaited segment is always requested")
    func bytes() {
        var window = ReorderWindow<Int>(count: 100, next: 0, width: 8, byteLimit: 1000)
        window.start(0)
        window.start(1)
        window.arrived(1, 1, bytes: 600)
        // 600 are held, and another 600 are on their way.
        #expect(window.candidate == nil)
        window.arrived(0, 0, bytes: 600)
        #expect(window.candidate == nil)
        #expect(window.pop() == 0 && window.pop() == 1 && window.pop() == nil)
        #expect(window.candidate == 2)
        window.start(2)
        #expect(window.candidate == nil)
        window.failed(2)
        #expect(window.candidate == 2)
    }

    @Test("a segment that had no room is requested again, with fewer others, down to only the next one")
    func refused() {
        var window = ReorderWindow<Int>(count: 100, next: 0, width: 8, byteLimit: 1000)
        var counts: [Int] = []
        for _ in 0..<6 {
            var asked: [Int] = []
            while let index = window.candidate {
                window.start(index)
                asked.append(index)
            }
            #expect(asked.first == 0)
            counts.append(asked.count)
            for index in asked { window.refused(index, bytes: 1000 / max(1, asked.count)) }
        }
        #expect(counts == [2, 1, 1, 1, 1, 1])
        window.start(0)
        window.arrived(0, 0, bytes: 5000)
        #expect(window.pop() == 0 && window.candidate == 1)
    }

    @Test("no further ahead than twice the width, however slow the first one is")
    func ahead() {
        var window = ReorderWindow<Int>(count: 100, next: 0, width: 2, byteLimit: .max)
        window.start(0)
        var started = 1
        while let index = window.candidate {
            window.start(index)
            window.arrived(index, index, bytes: 1)
            started += 1
        }
        #expect(started == 4)
    }

    @Test("two are requested first until the size of segments is known")
    func leaders() {
        var window = ReorderWindow<Int>(count: 100, next: 0, width: 8, byteLimit: 1000)
        var asked: [Int] = []
        while let index = window.candidate {
            window.start(index)
            asked.append(index)
        }
        #expect(asked == [0, 1])
        window.arrived(1, 1, bytes: 100)
        while let index = window.candidate {
            window.start(index)
            asked.append(index)
        }
        #expect(asked == Array(0..<9))
    }

    @Test("released segments are requested again, in order, and no others")
    func release() {
        var window = ReorderWindow<Int>(count: 6, next: 0, width: 4, byteLimit: 1000)
        for index in 0..<4 { window.start(index) }
        for index in 1..<4 { window.arrived(index, index, bytes: 10) }
        window.failed(0)
        window.release()
        var asked: [Int] = []
        while let index = window.candidate, asked.count < 10 {
            window.start(index)
            window.arrived(index, index, bytes: 10)
            asked.append(index)
        }
        #expect(asked == Array(0..<6))
        #expect((0..<6).map { _ in window.pop() } == [0, 1, 2, 3, 4, 5])
    }
}
