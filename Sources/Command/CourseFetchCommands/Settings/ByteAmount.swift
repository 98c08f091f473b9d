/// Reads sizes and rates in the format of rclone and aria2: a number and a unit, powers of 1024.
enum ByteAmount {
    /// The bytes of `512K`, `1.5M`, `2GiB`; letter case doesn't matter. A bare number is refused.
    static func parse(_ text: String) throws(ValueError) -> Int64 {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let number = Double(digits), digits.last != "." else { throw .notASize(text) }
        guard !unit.isEmpty else { throw .noUnit(text) }
        let power: Int
        switch unit {
        case "b": power = 0
        case "k", "ki", "kib": power = 1
        case "m", "mi", "mib": power = 2
        case "g", "gi", "gib": power = 3
        case "t", "ti", "tib": power = 4
        case "kb", "mb", "gb", "tb": throw .decimalUnit(text)
        default: throw .notASize(text)
        }
        let bytes = (0..<power).reduce(number) { product, _ in product * 1024 }
        guard bytes < 9e18 else { throw .notASize(text) }
        return Int64(bytes.rounded())
    }

    /// A rate in bytes a second; nil, no limit, for `off` and `0`.
    static func parseRate(_ text: String) throws(ValueError) -> Int64? {
        if text.lowercased() == "off" || text == "0" { return nil }
        let rate = try parse(text.hasSuffix("/s") ? String(text.dropLast(2)) : text)
        return rate > 0 ? rate : nil
    }
}
