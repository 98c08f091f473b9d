import FileSystem
import Foundation
import Hooks
import SystemPackage
import YAMLSource

struct SettingsFile: Sendable {
    /// The text of one value and its position.
    struct Entry: Sendable, Equatable {
        var text: String
        var location: SourceLocation
    }

    /// Each name's values, in the order of the file.
    private(set) var entries: [String: [Entry]] = [:]
    /// The user's hook commands.
    private(set) var hooks = HookSettings()
    /// Where `hooks` and `notify` stand, if they do.
    private(set) var hookLocations: [String: SourceLocation] = [:]
    /// What it says about the page.
    private(set) var serve = ServeSettings()
    /// The folder of the file, which its relative paths begin at.
    private(set) var folder = ""
    private let bytes: [UInt8]
    /// Whether it is that of one user of the account.
    private let isOfUser: Bool

    /// No file: nothing is set.
    static let none = SettingsFile()

    private init() { (bytes, isOfUser) = ([], false) }

    /// The file's path: `$XDG_CONFIG_HOME/coursefetch/config.yaml`, by default in `~/.config`.
    static func path(environment: [String: String]) -> String? {
        // A relative value is ignored. Related: XDG Base Directory Specification.
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") { return base + "/coursefetch/config.yaml" }
        return environment["HOME"].map { $0 + "/.config/coursefetch/config.yaml" }
    }

    /// The path of the file of one user: `users/NAME.yaml` beside that of the account.
    static func path(ofUser name: String, environment: [String: String]) -> String? {
        path(environment: environment).map { ($0 as NSString).deletingLastPathComponent + "/users/\(name).yaml" }
    }

    /// Reads the file at `path`; a missing one sets nothing. Throws all mistakes.
    static func read(_ path: String) throws(SettingsError) -> SettingsFile { try read(path, ofUser: false) }

    /// - Parameter ofUser: whether it is that of one user of the account.
    static func read(_ path: String, ofUser: Bool) throws(SettingsError) -> SettingsFile {
        guard access(path, F_OK) == 0 else { return .none }
        // It names commands to run, as a plugin does.
        if let reason = FileStatus.distrust(FilePath(path)) { throw SettingsError([.distrusted(path, reason)]) }
        guard let data = FileManager.default.contents(atPath: path) else { throw SettingsError([.unreadable(path)]) }
        return try SettingsFile(bytes: Array(data), path: path, ofUser: ofUser)
    }

    /// Reads the text of a settings file.
    init(bytes: [UInt8], path: String, ofUser: Bool = false) throws(SettingsError) {
        self.bytes = bytes
        isOfUser = ofUser
        folder = (path as NSString).deletingLastPathComponent
        let root: YAMLNode
        do {
            root = try YAMLNode.parse(bytes: bytes, file: path)
        } catch {
            throw SettingsError(error.diagnostics.map { .file(located($0)) })
        }
        if root.isNull { return }
        var problems: [SettingProblem] = []
        guard let mapping = root.mapping else {
            throw SettingsError([
                .file(located(root.error("settings must be a mapping of names and values, not \(root.value.kind)")))
            ])
        }
        for entry in mapping {
            do {
                try add(entry)
            } catch {
                // A mistyped address isn't known as one.
                let mayBeWebhook = entry.key == "notify" || error.suggestion == "notify"
                problems.append(.file(mayBeWebhook ? error : located(error)))
            }
        }
        if !problems.isEmpty { throw SettingsError(problems) }
    }

    /// The diagnostic with its source line. Of addresses it shows no paths: a webhook's is a secret.
    func located(_ diagnostic: Diagnostic) -> Diagnostic {
        var diagnostic = diagnostic
        let place = diagnostic.location.position
        diagnostic.excerpt = bytes.withUnsafeBytes { SourceExcerpt(of: place, in: $0, paths: false) }
        return diagnostic
    }

    /// The mistake in a value; for a layout with its position in the text.
    func located(_ error: ValueError, of key: String, at location: SourceLocation) -> Diagnostic {
        guard case .layout(let message, let offset) = error else {
            return located(Diagnostic(.error, at: location, "\(key): \(error)"))
        }
        var column = location.column + offset
        // After the quote, if it has one.
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let line = lines.indices.contains(location.line - 1) ? Array(lines[location.line - 1].unicodeScalars) : []
        if line.indices.contains(location.column - 1), ["\"", "'"].contains(line[location.column - 1]) { column += 1 }
        let place = SourceLocation(location.source, SourcePosition(line: location.line, column: column))
        return located(Diagnostic(.error, at: place, "\(key): \(message)"))
    }

    private mutating func add(_ entry: YAMLMapping.Entry) throws(Diagnostic) {
        if ["hooks", "notify"].contains(entry.key) { hookLocations[entry.key] = entry.keyLocation }
        if entry.key == "hooks" {
            hooks.commands = try HookReader.read(entry.value)
            hooks.folder = folder
            return
        }
        if entry.key == "notify" {
            hooks.notifications = try HookReader.notifications(entry.value)
            return
        }
        if entry.key == "serve" {
            if isOfUser {
                throw Diagnostic(
                    .error, at: entry.keyLocation, "these are the settings of one user: 'serve' is one of the account's"
                )
            }
            serve = try ServeReader.read(entry.value)
            return
        }
        let key = SettingTable.all.first { $0.name == entry.key || $0.form.isFlag && "no-" + $0.name == entry.key }
        guard let key else {
            throw Diagnostic(
                .error, at: entry.keyLocation, "there is no setting '\(entry.key)'",
                suggestion: NearestName.suggestion(
                    for: entry.key, among: SettingTable.all.map(\.name) + ["hooks", "notify", "serve"]))
        }
        if isOfUser, key.name == SettingTable.shared.user.name {
            throw Diagnostic(
                .error, at: entry.keyLocation, "these are the settings of one user: 'user' isn't one of them")
        }
        if let items = entry.value.sequence {
            guard key.form.isList else {
                throw entry.value.error("'\(entry.key)' takes one value, not a list")
            }
            var texts: [Entry] = []
            for item in items {
                texts.append(Entry(text: try Self.text(of: item, key: entry.key), location: item.location))
            }
            entries[entry.key] = texts
        } else if let parts = entry.value.mapping, key.name == SettingTable.shared.credentialHelper.name {
            // Each provider has its own.
            entries[entry.key] = try parts.map { part throws(Diagnostic) in
                let text = try Self.text(of: part.value, key: part.key)
                return Entry(text: "\(part.key)=\(text)", location: part.value.location)
            }
        } else {
            let text = try Self.text(of: entry.value, key: entry.key)
            entries[entry.key] = [Entry(text: text, location: entry.value.location)]
        }
    }

    private static func text(of node: YAMLNode, key: String) throws(Diagnostic) -> String {
        switch node.value {
        case .string(let text): return text
        case .int(let number): return String(number)
        case .double(let number): return String(number)
        case .bool(let flag): return String(flag)
        case .null, .sequence, .mapping: throw node.error("'\(key)' takes one value, not \(node.value.kind)")
        }
    }
}
