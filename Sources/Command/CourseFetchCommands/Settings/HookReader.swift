import Foundation
import Hooks
import YAMLSource

/// Reads `hooks` of a settings file: points of a run, each with its commands in order.
///
/// A command is text for `/bin/sh -c`, or a mapping `{run: COMMAND, timeout: 30s}`.
enum HookReader {
    static func read(_ node: YAMLNode) throws(Diagnostic) -> [HookPoint: [Hook]] {
        guard let mapping = node.mapping else {
            throw node.error("'hooks' takes a mapping of \(points), not \(node.value.kind)")
        }
        var commands: [HookPoint: [Hook]] = [:]
        for entry in mapping {
            guard let point = HookPoint(rawValue: entry.key) else {
                throw Diagnostic(
                    .error, at: entry.keyLocation, "there is no hook '\(entry.key)'; there are \(points)",
                    suggestion: NearestName.suggestion(for: entry.key, among: HookPoint.allCases.map(\.rawValue)))
            }
            var hooks: [Hook] = []
            for item in entry.value.sequence ?? [entry.value] { hooks.append(try hook(item, point)) }
            commands[point] = hooks
        }
        return commands
    }

    /// Reads `notify`: addresses, or mappings `{url: https://…, format: slack, only: new}`; one or a list.
    static func notifications(_ node: YAMLNode) throws(Diagnostic) -> [NotificationReceiver] {
        var found: [NotificationReceiver] = []
        for item in node.sequence ?? [node] { found.append(try notification(item)) }
        return found
    }

    private static func notification(_ node: YAMLNode) throws(Diagnostic) -> NotificationReceiver {
        var place = node
        var format: NotificationReceiver.Format?
        var only: (subject: NotificationReceiver.Subject, node: YAMLNode)?
        if let mapping = node.mapping {
            guard let url = node["url"] else { throw node.error("a notification needs a 'url'") }
            place = url
            for entry in mapping {
                switch entry.key {
                case "url": break
                case "format": format = try choice(entry)
                case "only": only = (try choice(entry), entry.value)
                default:
                    throw Diagnostic(
                        .error, at: entry.keyLocation,
                        "a notification has no key '\(entry.key)'; it takes url, format and only",
                        suggestion: NearestName.suggestion(for: entry.key, among: ["url", "format", "only"]))
                }
            }
        }
        guard let text = place.string, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
            !text.contains(where: \.isWhitespace),
            ["http", "https"].contains(parts.scheme?.lowercased() ?? "")
        else { throw place.error("a notification goes to an http or https URL") }
        let receiver = NotificationReceiver(
            url: text, format: format ?? NotificationReceiver.format(ofHost: host), only: only?.subject)
        if let only, receiver.format == .healthchecks {
            throw only.node.error("'only' is for notifications; healthchecks gets pings")
        }
        return receiver
    }

    /// One of the words of a type.
    private static func choice<Word: RawRepresentable & CaseIterable>(
        _ entry: YAMLMapping.Entry
    ) throws(Diagnostic) -> Word where Word.RawValue == String {
        let text = entry.value.string ?? ""
        if let word = Word(rawValue: text) { return word }
        let names = Word.allCases.map(\.rawValue)
        throw entry.value.error(
            "'\(entry.key)' is one of \(names.joined(separator: ", "))",
            suggestion: NearestName.suggestion(for: text, among: names))
    }

    private static let points = HookPoint.allCases.map(\.rawValue).joined(separator: ", ")

    private static func hook(_ node: YAMLNode, _ point: HookPoint) throws(Diagnostic) -> Hook {
        if let command = node.string { return try hook(command, at: node, point.standardTimeout) }
        guard let mapping = node.mapping else {
            throw node.error("a hook is a command, or {run: COMMAND, timeout: 30s}, not \(node.value.kind)")
        }
        var command: (text: String, node: YAMLNode)?
        var timeout = point.standardTimeout
        for entry in mapping {
            switch entry.key {
            case "run":
                guard let text = entry.value.string else {
                    throw entry.value.error("'run' takes a command, not \(entry.value.value.kind)")
                }
                command = (text, entry.value)
            case "timeout":
                let text = entry.value.string ?? entry.value.int.map(String.init) ?? ""
                do throws(ValueError) {
                    timeout = try DurationParser.parse(text)
                } catch {
                    throw entry.value.error("'timeout': \(error)")
                }
                guard timeout >= .seconds(1) else { throw entry.value.error("'timeout' is at least 1s") }
            default:
                throw Diagnostic(
                    .error, at: entry.keyLocation, "a hook has no key '\(entry.key)'; it takes run and timeout",
                    suggestion: NearestName.suggestion(for: entry.key, among: ["run", "timeout"]))
            }
        }
        guard let command else { throw node.error("a hook needs a command: {run: COMMAND}") }
        return try hook(command.text, at: command.node, timeout)
    }

    private static func hook(_ command: String, at node: YAMLNode, _ timeout: Duration) throws(Diagnostic) -> Hook {
        guard command.contains(where: { !$0.isWhitespace }) else { throw node.error("this command is empty") }
        return Hook(command: command, timeout: timeout)
    }
}
