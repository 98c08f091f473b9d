import DownloadRunner

/// Reads the texts of settings, wherever they come from.
enum SettingText {
    static func nonEmpty(_ text: String) throws(ValueError) -> String? {
        guard !text.isEmpty else { throw .empty }
        return text
    }

    static func wholeNumber(_ text: String, _ range: ClosedRange<Int>) throws(ValueError) -> Int {
        guard let number = Int(text) else { throw .notAWholeNumber(text) }
        guard range.contains(number) else {
            throw .outOfRange(text, lowest: range.lowerBound, highest: range.upperBound)
        }
        return number
    }

    /// `true`, `yes`, `on`, `1` and their opposites.
    static func flag(_ text: String) throws(ValueError) -> Bool {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: throw .notAFlag(text)
        }
    }

    /// `20` or `15%`.
    static func maxDelete(_ text: String) throws(ValueError) -> MaxDelete {
        guard text.hasSuffix("%") else {
            guard let count = Int(text), count >= 0 else { throw .notAPercentage(text) }
            return .count(count)
        }
        guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { throw .notAPercentage(text) }
        return .percent(percent)
    }
}
