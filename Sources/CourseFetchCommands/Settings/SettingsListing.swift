import DownloadRunner
import SyncFacts

/// The effective settings, each with where it comes from, for `doctor`.
enum SettingsListing {
    /// One setting.
    struct Row: Equatable {
        /// As in the settings file.
        var name: String
        var value: String
        var origin: SettingOrigin
    }

    /// All of them, in the order of ``SettingTable``, the places with their defaults filled in.
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

    /// All of them as they were said; each value of a list in a row of its own.
    static func rows(_ settings: SyncSettings) -> [Row] {
        SettingTable.all.flatMap { key in
            let values = settings.values(of: key)
            if values.isEmpty { return [Row(name: key.name, value: "–", origin: .standard)] }
            return values.map { Row(name: key.name, value: SettingText.written($0.anyValue), origin: $0.origin) }
        }
    }
}
