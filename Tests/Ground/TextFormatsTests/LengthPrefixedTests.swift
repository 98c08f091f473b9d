import Testing
import TextFormats

@Suite("lists of texts as bytes")
struct LengthPrefixedTests {
    private func bytes(_ numbers: LengthPrefixed.Numbers, _ texts: [String?]) -> [UInt8] {
        var list = LengthPrefixed(numbers)
        for text in texts { list.add(text) }
        return list.bytes
    }

    @Test("each form is the one that stored digests were made of")
    func forms() {
        #expect(String(decoding: bytes(.decimal(UInt8(ascii: ":")), ["ü", ""]), as: UTF8.self) == "2:ü0:")
        #expect(String(decoding: bytes(.decimal(UInt8(ascii: " ")), ["a", nil]), as: UTF8.self) == "1 a-1 ")
        #expect(bytes(.littleEndian, ["a"]) == [1, 0, 0, 0, 0, 0, 0, 0, 0x61])
        #expect(bytes(.bigEndian, ["a"]) == [0, 0, 0, 0, 0, 0, 0, 1, 0x61])
        #expect(bytes(.bigEndian, [nil]) == [UInt8](repeating: 0xFF, count: 8))
    }

    @Test("different lists have different bytes, whatever is in their texts")
    func different() {
        let lists: [[String?]] = [
            [], [""], [nil], ["", ""], ["a", "b"], ["ab"], ["ab", ""], ["", "ab"], ["a", "b", ""], ["1:a"],
            ["1:", "a"],
            ["0:"], ["0"], ["-1 "], [nil, nil], ["\0"], ["\0\0\0\0\0\0\0\0"],
        ]
        for numbers in [.littleEndian, .bigEndian, .decimal(UInt8(ascii: ":"))] as [LengthPrefixed.Numbers] {
            #expect(Set(lists.map { bytes(numbers, $0) }).count == lists.count)
        }
    }

    @Test("pieces are together what the whole is")
    func pieces() {
        var (whole, list) = (LengthPrefixed(.bigEndian), LengthPrefixed(.bigEndian))
        var taken: [UInt8] = []
        for number in 0..<100 as Range<Int64> {
            whole.add("\(number)")
            whole.add(number..<number + 1)
            list.add("\(number)")
            taken += list.take()
            list.add(number..<number + 1)
        }
        #expect(taken + list.take() == whole.bytes && list.bytes.isEmpty)
    }
}
