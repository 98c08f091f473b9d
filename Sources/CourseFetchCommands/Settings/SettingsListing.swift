import DownloadRunner
import SyncFacts

/// The effective settings with their origins, for `doctor`.
enum SettingsListing {
    /// One setting.
    struct Row: Equatable {
        /// As in the settings file.
        var name: String
        var value: String
        var origin: SettingOrigin
    }

    /// All settings, in the order of ``SettingTable``, with defaults filled in for locations.
    static func rows(
        _ settings: SyncSettings, places: EffectivePlaces, onTerminal: Bool = false
    ) -> [Row] {
        let defaults = [
            "user": places.user, "state": places.state, "library": places.library,
            "max-connections-per-host": "\(settings.options(catalogs: []).hostConnections)",
            "retry-failed": SettingText.written(settings.retryFailed.value ?? onTerminal),
            "wait": SettingText.written(settings.wait.value ?? SyncSettings.standardWait(onTerminal: onTerminal)),
        ]
        return rows(settings).map { row in
            let effective = defaults[row.name]
            let isFromState = row.name == "library" && places.isLibraryFromState
            return Row(name: row.name, value: effective ?? row.value, origin: isFromState ? .state : row.origin)
        }
    }

    /// All settings as given; each value of a list in its own row.
    static func rows(_ settings: SyncSettings) -> [Row] {
        SettingTable.all.flatMap { key in
            let values = settings.values(of: key)
            if values.isEmpty { return [Row(name: key.name, value: "–", origin: .standard)] }
            return values.map { Row(name: key.name, value: SettingText.written($0.anyValue), origin: $0.origin) }
        }
    }
}
