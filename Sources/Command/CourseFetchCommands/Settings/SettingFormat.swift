import CommandOutput
import PathLayout
import SyncFacts

/// Reads and writes the texts of settings of any origin.
enum SettingFormat {
    static func nonEmpty(_ text: String) throws(ValueError) -> String? {
        guard !text.isEmpty else { throw .empty }
        return text
    }

    /// Whether it is an http or https URL, not a path.
    static func isAddress(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
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

    /// A value in the form that a user writes; `–` for none.
    static func written(_ value: Any) -> String {
        switch value {
        case let value as Bool: return value ? "true" : "false"
        case let value as Int64: return Wording.size(value)
        case let value as Duration: return written(value)
        case let value as PathLayout: return value.template
        case let value as MaxDelete: return written(value)
        case let value as FreeSpaceFloor: return written(value)
        case let value as RunWindow.End: return written(value)
        case let value as RunWindow.Hours: return value.description
        case let values as [Any]: return values.isEmpty ? "–" : values.map(written).joined(separator: " ")
        default: break
        }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return String(describing: value) }
        return mirror.children.first.map { written($0.value) } ?? "–"
    }

    /// In the format of ``DurationParser``.
    private static func written(_ duration: Duration) -> String {
        var rest = Int(duration.components.seconds)
        guard rest > 0 else { return "0" }
        var text = ""
        for (unit, seconds) in [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)] where rest >= seconds {
            text += "\(rest / seconds)\(unit)"
            rest %= seconds
        }
        return text
    }

    private static func written(_ end: RunWindow.End) -> String {
        switch end {
        case .time(let time): "\(time)"
        case .instant(let date): date.rfc3339
        }
    }

    private static func written(_ floor: FreeSpaceFloor) -> String {
        switch floor {
        case .standard: "1 GiB, or 5% of a smaller disk"
        case .bytes(let bytes): bytes == 0 ? "0" : Wording.size(bytes)
        case .off: "off"
        }
    }

    private static func written(_ limit: MaxDelete) -> String {
        switch limit {
        case .count(let count): return "\(count)"
        case .percent(let percent):
            let whole = Int(percent)
            return Double(whole) == percent ? "\(whole)%" : "\(percent)%"
        }
    }
}
