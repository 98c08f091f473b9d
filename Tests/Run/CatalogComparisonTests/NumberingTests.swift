import Testing

@testable import CatalogComparison

@Suite("Giving numbers")
struct NumberingTests {
    private func listed(_ recorded: Int?, source: Int? = nil, keeps: Bool = false) -> Numbering.Item {
        .init(recorded: recorded, source: source, isByHand: false, keepsNumber: keeps)
    }

    private func written(_ recorded: Int?, source: Int? = nil) -> Numbering.Item {
        .init(recorded: recorded, source: source, isByHand: true)
    }

    @Test(
        "what is listed keeps its number, wherever it is listed; new ones come after the highest, also of what is gone")
    func kept() {
        #expect(Numbering.numbers(of: [listed(nil), listed(nil)]) == [1, 2])
        #expect(Numbering.numbers(of: [listed(2), listed(3)], gone: [1]) == [2, 3])
        #expect(Numbering.numbers(of: [listed(2), listed(1), listed(nil)], gone: [3, 9]) == [2, 1, 10])
        #expect(Numbering.numbers(of: [listed(nil), listed(1), listed(2)], gone: [4]) == [5, 1, 2])
    }

    @Test("new ones between two others get the numbers between theirs, if there are enough")
    func between() {
        let items = [listed(nil), listed(nil), listed(5), listed(nil), listed(8), listed(nil)]
        #expect(Numbering.numbers(of: items) == [3, 4, 5, 6, 8, 9])
        #expect(Numbering.numbers(of: items, gone: [4, 6]) == [2, 3, 5, 7, 8, 9])
        #expect(Numbering.numbers(of: items, gone: [2, 3, 4, 6, 7]) == [9, 10, 5, 11, 8, 12])
        // The newest first.
        #expect(Numbering.numbers(of: [listed(nil), listed(3), listed(nil), listed(2)]) == [1, 3, 4, 2])
    }

    @Test("a number is the source's; what it leaves out is above the next thousand")
    func source() {
        #expect(
            Numbering.numbers(of: [listed(nil, source: 31), listed(nil), listed(nil, source: 33)]) == [31, 1001, 33])
        // It has said another one, or one at last.
        #expect(Numbering.numbers(of: [listed(31, source: 30), listed(1001, source: 32)]) == [30, 32])
        #expect(Numbering.numbers(of: [listed(1, source: 0), listed(nil)]) == [0, 1001])
        #expect(Numbering.numbers(of: [listed(nil, source: 20_261_001), listed(nil)]) == [20_261_001, 20_262_001])
    }

    @Test("of two with one number of the source the one that has it keeps it, else the first; so does what is gone")
    func equal() {
        #expect(Numbering.numbers(of: [listed(nil, source: 7), listed(nil, source: 7)]) == [7, 1001])
        #expect(Numbering.numbers(of: [listed(1001, source: 7), listed(7, source: 7)]) == [1001, 7])
        #expect(Numbering.numbers(of: [listed(7), listed(nil, source: 7)]) == [7, 1001])
        #expect(Numbering.numbers(of: [listed(nil, source: 7)], gone: [7]) == [1001])
        #expect(Numbering.numbers(of: [listed(1001, source: 7)]) == [7])
    }

    @Test("a number that is older than those of the source stays, also if two have it")
    func older() {
        let items = [listed(2, source: 32, keeps: true), listed(2, source: 33, keeps: true), listed(nil, source: 34)]
        #expect(Numbering.numbers(of: items, gone: [1, 2]) == [2, 2, 34])
        #expect(Numbering.numbers(of: items + [listed(nil, source: 2)]) == [2, 2, 34, 1001])
    }

    @Test("by hand each has its place, but none that something gone or listed has, unless it has that itself")
    func byHand() {
        #expect(Numbering.numbers(of: [written(9), written(nil), written(1)]) == [1, 2, 3])
        #expect(Numbering.numbers(of: [written(2), written(3)], gone: [1]) == [2, 3])
        #expect(Numbering.numbers(of: [written(1), written(2)], gone: [1]) == [1, 2])
        #expect(Numbering.numbers(of: [written(nil), written(2)], gone: [1]) == [2, 3])
        #expect(Numbering.numbers(of: [written(nil), written(nil, source: 7), written(nil)]) == [1, 7, 8])
        #expect(Numbering.numbers(of: [written(nil), written(1), listed(2), listed(3)]) == [1, 4, 2, 3])
        #expect(Numbering.numbers(of: [written(nil), written(nil)], from: 5) == [5, 6])
    }

    @Test("numbers that were given are kept: once more it gives the same")
    func again() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var items = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                Numbering.Item(
                    recorded: Bool.random() ? Int.random(in: 0...9) : nil,
                    source: Bool.random() ? Int.random(in: 0...9) : nil, isByHand: Bool.random())
            }
            let gone = Set((0..<Int.random(in: 0...3)).map { _ in Int.random(in: 0...9) })
            let numbers = Numbering.numbers(of: items, gone: gone)
            for index in items.indices { items[index].recorded = numbers[index] }
            let again = Numbering.numbers(of: items, gone: gone)
            for index in items.indices { items[index].recorded = again[index] }
            #expect(Numbering.numbers(of: items, gone: gone) == again, "\(items) \(gone)")
        }
    }
}
