/// Reads durations: `30s`, `10m`, `4h`, `2d`, and several of them in descending order, `1h30m`.
enum DurationParser {
    /// The duration; `0` needs no unit.
    static func parse(_ text: String) throws(ValueError) -> Duration {
        if text == "0" { return .zero }
        var seconds = 0
        var number: Int?
        var lastUnit = Int.max
        for character in text {
            if let digit = character.wholeNumberValue, character.isASCII {
                let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
                guard !overflows, tens < 1_000_000_000_000 else { throw .notADuration(text) }
                number = tens + digit
                continue
            }
            let unit: Int
            switch character {
            case "s": unit = 1
            case "m": unit = 60
            case "h": unit = 3600
            case "d": unit = 86400
            default: throw .notADuration(text)
            }
            guard let count = number, unit < lastUnit else { throw .notADuration(text) }
            seconds += count * unit
            (number, lastUnit) = (nil, unit)
        }
        guard number == nil, lastUnit != .max, seconds <= 3_153_600_000 else { throw .notADuration(text) }
        return .seconds(seconds)
    }
}
