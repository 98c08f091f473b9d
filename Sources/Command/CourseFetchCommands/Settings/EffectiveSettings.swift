import Foundation
import Hooks
import RunAccess
import SyncFacts
import YAMLSource

/// The effective settings with their origins, for `doctor`.
enum EffectiveSettings {
    struct Row: Equatable {
        /// As in the settings file.
        var name: String
        var value: String
        var origin: SettingOrigin
    }

    /// All settings, in the order of ``SettingTable``, with defaults filled in for locations.
    static func rows(
        _ settings: SyncSettings, places: EffectiveLocations, onTerminal: Bool = false
    ) -> [Row] {
        let defaults = [
            "user": places.user, "state": places.state, "library": places.library,
            "max-connections-per-host": "\(settings.options(catalogs: []).hostConnections)",
            "retry-failed": SettingFormat.written(settings.retryFailed.value ?? onTerminal),
            "wait": SettingFormat.written(settings.wait.value ?? SyncSettings.standardWait(onTerminal: onTerminal)),
        ]
        return rows(settings).map { row in
            let effective = defaults[row.name]
            let isFromState = row.name == "library" && places.isLibraryFromState
            let value = AddressRedactor.withoutSecrets(effective ?? row.value)
            return Row(name: row.name, value: value, origin: isFromState ? .state : row.origin)
        }
    }

    /// All settings as given; each value of a list in its own row.
    static func rows(_ settings: SyncSettings) -> [Row] {
        plainRows(settings) + hookRows(settings)
    }

    /// Commands as they were written; of webhooks the host only, since the rest is a secret.
    private static func hookRows(_ settings: SyncSettings) -> [Row] {
        let hooks = settings.hooks
        func origin(_ name: String) -> SettingOrigin { settings.hookOrigins[name] ?? .standard }
        let commands = HookPoint.allCases.flatMap { point in
            (hooks.commands[point] ?? []).map {
                Row(name: "hooks", value: "\(point.rawValue): \($0.command)", origin: origin("hooks"))
            }
        }
        let notifications = hooks.notifications.map { notification in
            let host = URLComponents(string: notification.url)?.host ?? ""
            let only = notification.only.map { ", only \($0.rawValue)" } ?? ""
            return Row(
                name: "notify", value: "\(notification.format.rawValue) to \(host)\(only)", origin: origin("notify"))
        }
        return commands + notifications
    }

    private static func plainRows(_ settings: SyncSettings) -> [Row] {
        SettingTable.all.flatMap { key in
            let values = settings.values(of: key)
            if values.isEmpty { return [Row(name: key.name, value: "–", origin: .standard)] }
            return values.map { Row(name: key.name, value: SettingFormat.written($0.anyValue), origin: $0.origin) }
        }
    }
}
