import DownloadRunner

/// The effective settings, each with where it comes from, for `doctor`.
///
/// Read by reflection over ``SyncSettings``, so that none can be left out.
enum SettingsListing {
    /// One setting.
    struct Row: Equatable {
        /// As in the settings file.
        var name: String
        var value: String
        var origin: SettingOrigin
    }

    /// All of them, in the order in which they are declared, the places with their defaults filled in.
    static func rows(
        _ settings: SyncSettings, places: (user: String, state: String, library: String), onTerminal: Bool = false
    ) -> [Row] {
        let defaults = [
            "user": places.user, "state": places.state, "library": places.library,
            "max-connections-per-host": "\(settings.options(catalogs: []).hostConnections)",
            "wait": text(settings.wait.value ?? SyncSettings.standardWait(onTerminal: onTerminal)),
        ]
        return rows(settings).map { row in
            let effective = defaults[row.name]
            return Row(name: row.name, value: effective ?? row.value, origin: row.origin)
        }
    }

    /// All of them as they were said.
    static func rows(_ settings: SyncSettings) -> [Row] {
        Mirror(reflecting: settings).children.flatMap { child -> [Row] in
            let name = self.name(child.label ?? "")
            if let setting = child.value as? any AnySetting {
                return [Row(name: name, value: text(setting.anyValue), origin: setting.origin)]
            }
            guard let several = child.value as? [any AnySetting] else { return [] }
            if several.isEmpty { return [Row(name: name, value: "–", origin: .standard)] }
            return several.map { Row(name: name, value: text($0.anyValue), origin: $0.origin) }
        }
    }

    /// `maxWait` → `max-wait`.
    private static func name(_ property: String) -> String {
        property.reduce(into: "") { name, letter in name += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
        }
    }

    /// A value as one would write it; `–` for none.
    private static func text(_ value: Any) -> String {
        switch value {
        case let value as Bool: return value ? "true" : "false"
        case let value as Int64: return Wording.size(value)
        case let value as Duration: return text(value)
        case let value as MaxDelete: return text(value)
        case let value as RunWindow.End: return text(value)
        case let values as [Any]: return values.isEmpty ? "–" : values.map(text).joined(separator: " ")
        default: break
        }
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return String(describing: value) }
        return mirror.children.first.map { text($0.value) } ?? "–"
    }

    /// As ``DurationText`` reads it.
    private static func text(_ duration: Duration) -> String {
        var rest = Int(duration.components.seconds)
        guard rest > 0 else { return "0" }
        var text = ""
        for (unit, seconds) in [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)] where rest >= seconds {
            text += "\(rest / seconds)\(unit)"
            rest %= seconds
        }
        return text
    }

    private static func text(_ end: RunWindow.End) -> String {
        switch end {
        case .time(let time): "\(time)"
        case .instant(let date): Timestamp.rfc3339(date)
        }
    }

    private static func text(_ guardian: MaxDelete) -> String {
        switch guardian {
        case .count(let count): return "\(count)"
        case .percent(let percent):
            let whole = Int(percent)
            return Double(whole) == percent ? "\(whole)%" : "\(percent)%"
        }
    }
}

/// A setting whatever its value's type.
private protocol AnySetting {
    var anyValue: Any { get }
    var origin: SettingOrigin { get }
}

extension Setting: AnySetting {
    fileprivate var anyValue: Any { value }
}
