import Foundation
import Hooks

extension SyncOptions {
    /// All that a run without any work may depend on, as text: the same for the same options, in each process. Of hooks
    /// and credential helpers such a run only knows whether new videos are told.
    package var textWithoutWork: String {
        var known = self
        known.hooks = HookSettings()
        known.credentialHelpers = CredentialHelpers()
        return "\(Self.text(known)) \(hooks.tellsNews)"
    }

    /// A value with all that it has, sets and dictionaries in the order of their texts.
    private static func text(_ value: Any) -> String {
        // Its parts are addresses, and the time of the year.
        if let zone = value as? TimeZone { return zone.identifier }
        let mirror = Mirror(reflecting: value)
        guard !mirror.children.isEmpty else { return "\(type(of: value)) \(String(reflecting: value))" }
        var parts = mirror.children.map { "\($0.label ?? ""): \(text($0.value))" }
        if [.set, .dictionary].contains(mirror.displayStyle) { parts.sort() }
        return "\(type(of: value))(\(parts.joined(separator: ", ")))"
    }
}
