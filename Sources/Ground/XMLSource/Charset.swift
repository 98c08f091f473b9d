#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A character encoding of documents.
///
/// The names are those of the WHATWG's list, read as browsers read them. `iconv` isn't asked for others: nobody writes
/// documents in them, and converters of rare ones have ended programs.
///
/// Related: https://encoding.spec.whatwg.org/#names-and-labels
struct Charset: Sendable, Equatable {
    static let utf8 = Charset(name: "UTF-8")
    static let windows1252 = Charset(name: "CP1252")
    static let utf16LE = Charset(name: "UTF-16LE")
    static let utf16BE = Charset(name: "UTF-16BE")

    private static let names = [
        "utf-8": "UTF-8", "utf8": "UTF-8", "unicode-1-1-utf-8": "UTF-8",
        "us-ascii": "CP1252", "ascii": "CP1252", "ansi-x3.4-1968": "CP1252", "latin1": "CP1252", "l1": "CP1252",
        "latin2": "ISO-8859-2", "latin5": "CP1254", "tis-620": "CP874", "windows-874": "CP874", "dos-874": "CP874",
        "koi8-r": "KOI8-R", "koi8": "KOI8-R", "koi8-u": "KOI8-U", "macintosh": "MACINTOSH", "x-mac-roman": "MACINTOSH",
        "ibm866": "IBM866", "cp866": "IBM866",
        "gbk": "GB18030", "x-gbk": "GB18030", "gb2312": "GB18030", "gb-2312-80": "GB18030", "gb18030": "GB18030",
        "big5": "BIG5-HKSCS", "big5-hkscs": "BIG5-HKSCS", "cn-big5": "BIG5-HKSCS",
        "euc-jp": "EUC-JP", "x-euc-jp": "EUC-JP", "iso-2022-jp": "ISO-2022-JP",
        "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "ms-kanji": "CP932", "windows-31j": "CP932",
        "ms932": "CP932", "cp932": "CP932",
        "euc-kr": "CP949", "ks-c-5601-1987": "CP949", "ksc5601": "CP949", "windows-949": "CP949", "cp949": "CP949",
    ]

    /// As `iconv` calls it.
    private let name: String

    private init(name: String) { self.name = name }

    /// The encoding with this name; nil if there is none, and for UTF-16, whose documents tell it themselves.
    init?(_ label: String) {
        let label = label.lowercased().filter { !$0.isWhitespace }.replacing("_", with: "-")
        guard let name = Self.names[label] ?? Self.numbered(label) else { return nil }
        self.init(name: name)
    }

    /// `windows-1251`, `iso-8859-15` and the like.
    private static func numbered(_ label: String) -> String? {
        for prefix in ["windows-125", "cp125", "x-cp125"] where label.hasPrefix(prefix) {
            let digit = label.dropFirst(prefix.count)
            return digit.count == 1 && "012345678".contains(digit) ? "CP125\(digit)" : nil
        }
        for prefix in ["iso-8859-", "iso8859-"] where label.hasPrefix(prefix) {
            switch Int(label.dropFirst(prefix.count)) {
            case 1: return "CP1252"
            case 9: return "CP1254"
            case 11: return "CP874"
            case let number? where (2...16).contains(number) && number != 12: return "ISO-8859-\(number)"
            default: return nil
            }
        }
        return nil
    }

    /// `bytes` in UTF-8; nil if they aren't in this encoding, unless that is to be replaced by U+FFFD.
    func utf8(_ bytes: ArraySlice<UInt8>, isReplacing: Bool = false) -> [UInt8]? {
        guard self != .utf8 else {
            if String(validating: bytes, as: UTF8.self) != nil { return Array(bytes) }
            return isReplacing ? Array(String(decoding: bytes, as: UTF8.self).utf8) : nil
        }
        guard let converter = iconv_open("UTF-8", name), Int(bitPattern: converter) != -1 else { return nil }
        defer { iconv_close(converter) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        let isWhole = bytes.withUnsafeBytes { source -> Bool in
            var input = UnsafeMutablePointer(mutating: source.baseAddress?.assumingMemoryBound(to: CChar.self))
            var left = source.count
            while left > 0 {
                let before = (left, result.count)
                let code = Self.step(converter, &input, left: &left, into: &result)
                if code == EILSEQ || code == EINVAL, isReplacing {
                    result += [0xEF, 0xBF, 0xBD]
                    let unit = min(left, name.hasPrefix("UTF-16") ? 2 : 1)
                    input = input?.advanced(by: unit)
                    left -= unit
                } else if code != 0, code != E2BIG || (left, result.count) == before {
                    return false
                }
            }
            // Some keep a letter back until they know that no accent follows.
            input = nil
            return Self.step(converter, &input, left: &left, into: &result) == 0
        }
        return isWhole ? result : nil
    }

    /// One call of `iconv`; its error, or 0.
    private static func step(
        _ converter: iconv_t, _ input: inout UnsafeMutablePointer<CChar>?, left: inout Int, into result: inout [UInt8]
    ) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { room in
            var output = room.baseAddress?.assumingMemoryBound(to: CChar.self)
            var free = room.count
            let isDone = iconv(converter, &input, &left, &output, &free) != -1
            let code = isDone ? 0 : errno
            result.append(contentsOf: room[..<(room.count - free)])
            return code
        }
    }
}
