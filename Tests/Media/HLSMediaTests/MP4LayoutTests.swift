import HLSMedia
import Testing

@Suite("the boxes of a whole MP4")
struct MP4LayoutTests {
    @Test("they end where the file ends")
    func end() {
        let file = box("ftyp", 8) + box("moov", 12) + [0, 0, 0, 0] + box("free", 8) + box("mdat", 9) + [7]
        #expect(isWhole(file))
        for count in 0..<file.count { #expect(isWhole(Array(file.prefix(count))) == [8, 20, 28].contains(count)) }
        #expect(!isWhole(file + [0]) && !isWhole(file + [UInt8](repeating: 0, count: 16)))
    }

    @Test("an index that lies over the media, or lacks its end, breaks them")
    func broken() {
        let media = [UInt8](repeating: 0xAB, count: 40)
        #expect(!isWhole(box("ftyp", 8) + box("moov", 24) + media))
        // What ffmpeg couldn't write is a hole.
        #expect(!isWhole(box("ftyp", 8) + box("moov", 16) + [UInt8](repeating: 0, count: 32) + box("mdat", 48) + media))
    }

    @Test("a length of 64 bits; none, up to the end, isn't what ffmpeg writes")
    func lengths() {
        #expect(isWhole(box("mdat", 1) + [0, 0, 0, 0, 0, 0, 0, 17] + [1]))
        #expect(!isWhole(box("mdat", 1) + [0xFF, 0, 0, 0, 0, 0, 0, 17] + [1]))
        #expect(!isWhole(box("mdat", 0) + [1]) && !isWhole(box("mdat", 7)))
        #expect(
            !isWhole((0...256).flatMap { _ in box("free", 8) }) && isWhole((1...256).flatMap { _ in box("free", 8) }))
    }

    private func isWhole(_ file: [UInt8]) -> Bool {
        MP4Layout.isWhole(size: Int64(file.count)) { place, count in Array(file.dropFirst(Int(place)).prefix(count)) }
    }

    private func box(_ name: String, _ length: UInt32) -> [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) } + Array(name.utf8)
    }
}
