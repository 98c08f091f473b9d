import Testing

@testable import CourseCatalog

@Suite("Shards of a catalog")
struct ShardTests {
    @Test("each course belongs to one shard, and all have about as many")
    func divided() throws {
        for count in [1, 2, 3, 7, 16] {
            let shards = try (1...count).map { try #require(Shard(index: $0, count: count)) }
            var sizes = [Int](repeating: 0, count: count)
            for number in 0..<4000 {
                let owners = shards.filter { $0.has(course: "course-\(number)") }
                try #require(owners.count == 1)
                sizes[owners[0].index - 1] += 1
            }
            #expect(sizes.allSatisfy { abs(Double($0) - 4000 / Double(count)) < 120 }, "\(sizes)")
        }
    }

    @Test("with one shard more, courses move to it only, and as few as possible")
    func few() throws {
        let ids = (0..<4000).map { "course-\($0)" }
        func shard(of id: String, _ count: Int) -> Int {
            (1...count).first { Shard(index: $0, count: count)?.has(course: id) == true } ?? 0
        }
        let moved = ids.filter { shard(of: $0, 8) != shard(of: $0, 9) }
        #expect(moved.allSatisfy { shard(of: $0, 9) == 9 })
        #expect(abs(moved.count - 4000 / 9) < 80, "\(moved.count)")
    }

    @Test("every version divides in the same way")
    func stable() {
        func shards(_ id: String) -> [Int] {
            [2, 5, 16].map { count in (1...count).first { Shard(index: $0, count: count)?.has(course: id) == true } ?? 0
            }
        }
        #expect(shards("phys101") == [2, 5, 5])
        #expect(shards("") == [1, 1, 6])
        #expect(shards("线性代数") == [2, 2, 2])
    }

    @Test("the text of a shard, and the name of its folder")
    func texts() {
        #expect(Shard("2/8") == Shard(index: 2, count: 8))
        #expect(Shard("2/8")?.folderName == "2-of-8")
        #expect(Shard(folderName: "2-of-8") == Shard("2/8"))
        #expect(Shard("10000/10000")?.text == "10000/10000")
        for wrong in ["", "2", "/", "0/8", "9/8", "-1/8", "1/8/2", "1/10001", "1 /8", "+1/8", "٢/8", "1/"] {
            #expect(Shard(wrong) == nil, "\(wrong)")
        }
        for wrong in ["2/8", "02-of-8", "2-of-08", "2-of-8-of-9", "a"] {
            #expect(Shard(folderName: wrong) == nil, "\(wrong)")
        }
    }
}
