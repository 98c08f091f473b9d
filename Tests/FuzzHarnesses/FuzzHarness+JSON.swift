import Foundation
import ProviderKit

extension FuzzHarness {
    /// JSON: refused, or written and read again to the same.
    static let json = FuzzHarness(
        name: "json",
        texts: [
            #"{"a":[1,-0,1.5e3,true,null,"\u00e9\ud83d\ude00\n\/",{}],"b":{"c":[[],[[]]]},"a":9223372036854775807}"#,
            " [ 9007199254740993 , 1E-400 , \"\u{FFFD}\u{2028}\" ] ",
        ],
        words: [
            "[", "]", "{", "}", "[[[[[[[[", "{\"a\":{\"a\":", "null", "true", "-0", "1e999", "1E400", "0.1e-7",
            "9223372036854775808", "-9223372036854775809", "\\u0000", "\\ud800", "\\udc00", "\\", "\"", ",", ":", "\n",
            "\u{FEFF}", "\u{0}", "é", "//",
        ],
        corpus: "json-test-suite"
    ) { bytes in
        guard let value = try? JSONReader.value(of: bytes) else { return false }
        // Numbers may have another form now: 1.0 is 1.
        let once = try JSONReader.value(of: JSONEncoder().encode(value))
        let twice = try JSONReader.value(of: JSONEncoder().encode(once))
        try promise(once == twice, "read otherwise: \(value)")
        return true
    }
}
