import Testing
import TextFormats

@Suite("hex digits")
struct HexDigitsTests {
    @Test("bytes are written in lower case and read back, in whichever collection they are")
    func roundTrip() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(bytes.hex.hasPrefix("000102") && bytes.hex.hasSuffix("fdfeff") && bytes.hex.count == 512)
        #expect([UInt8](hex: bytes.hex) == bytes)
        #expect([UInt8](hex: "aBCd") == [0xAB, 0xCD])
        #expect((0...255).lazy.map { UInt8($0) }.hex == bytes.hex)
        #expect([UInt8]().hex == "")
    }

    @Test("an odd number of digits, or another character, is refused", arguments: ["a", "0g", "é0", " 00"])
    func refused(text: String) { #expect([UInt8](hex: text) == nil) }
}
