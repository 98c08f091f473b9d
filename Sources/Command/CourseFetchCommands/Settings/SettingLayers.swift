import Foundation
import Hooks
import UserState
import YAMLSource

/// The layers that a setting may come from, the strongest first: option, environment, the user's own settings file, the
/// account's, default.
///
/// Mistakes are collected, so that all are reported at once; a value with a mistake counts as not set.
struct SettingLayers {
    private let options: [String: [String]]
    private let environment: [String: String]
    private let userFile: SettingsFile
    private let file: SettingsFile
    private(set) var problems: [SettingProblem] = []

    /// `options` holds the texts of the options given, by name; a flag's text is `true` or `false`.
    init(
        options: [String: [String]], environment: [String: String], file: SettingsFile, userFile: SettingsFile = .none
    ) {
        self.options = options
        self.environment = environment
        self.file = file
        self.userFile = userFile
    }

    /// Reads the account's settings file, and that of the user whom the options, the environment or that file name.
    static func read(
        options: [String: [String]], environment: [String: String]
    ) throws(SettingsError) -> SettingLayers {
        let file = try SettingsFile.path(environment: environment).map(SettingsFile.read) ?? .none
        let layers = SettingLayers(options: options, environment: environment, file: file)
        let userFile = try layers.userFilePath.map { path throws(SettingsError) in
            try SettingsFile.read(path, ofUser: true)
        }
        return SettingLayers(options: options, environment: environment, file: file, userFile: userFile ?? .none)
    }

    /// The path of the user's own settings file; nil for a name that can't be one.
    var userFilePath: String? {
        let key = SettingTable.shared.user
        let given = option(key.name)?.first?.text ?? variable(key)?.first?.text ?? file.entries[key.name]?.first?.text
        let name = given.map { try? UserName($0) } ?? UserName.ofThisAccount(environment: environment)
        return name.flatMap { SettingsFile.path(ofUser: $0.text, environment: environment) }
    }

    /// The user's hook commands: only from the files, since no option can express them.
    var hooks: HookSettings {
        var hooks = file.hooks
        if userFile.hookLocations["hooks"] != nil {
            (hooks.commands, hooks.folder) = (userFile.hooks.commands, userFile.hooks.folder)
        }
        if userFile.hookLocations["notify"] != nil { hooks.notifications = userFile.hooks.notifications }
        return hooks
    }

    /// Where `hooks` and `notify` stand, if they do.
    var hookOrigins: [String: SettingOrigin] {
        file.hookLocations.mapValues { .file($0) }.merging(userFile.hookLocations.mapValues { .userFile($0) }) { $1 }
    }

    /// What the file says about the page.
    var serve: ServeSettings { file.serve }

    /// The values of a setting: one, but for a list.
    mutating func values<Value>(_ key: SettingKey<Value>) -> [Setting<Value>] {
        switch key.form {
        case .value: [value(key)]
        case .flag: [flag(key)]
        case .list(_, let separator, let addsUp): list(key, separator: separator, addsUp: addsUp)
        }
    }

    private mutating func value<Value>(_ key: SettingKey<Value>) -> Setting<Value> {
        for candidate in [option(key.name), variable(key)] + entries(key) {
            if let (text, origin) = candidate?.first, let value = read(key, text, origin) {
                return Setting(value: value, origin: origin)
            }
        }
        return Setting(value: key.standard, origin: .standard)
    }

    /// A flag may be given as its opposite: `no-checksum: true`.
    private mutating func flag<Value>(_ key: SettingKey<Value>) -> Setting<Value> {
        let opposite = SettingKey("no-" + key.name, key.form, standard: key.standard, help: "") {
            text throws(ValueError) in try key.parse(SettingFormat.flag(text) ? "false" : "true")
        }
        let plain = value(key)
        let inverted = value(opposite)
        return inverted.origin.rank < plain.origin.rank ? inverted : plain
    }

    /// The strongest place first.
    private mutating func list<Value>(
        _ key: SettingKey<Value>, separator: Character, addsUp: Bool
    ) -> [Setting<Value>] {
        let places = ([option(key.name), variable(key, separator: separator)] + entries(key)).compactMap(\.self)
            .filter { !$0.isEmpty }
        return (addsUp ? places : Array(places.prefix(1))).joined().compactMap { text, origin in
            read(key, text, origin).map { Setting(value: $0, origin: origin) }
        }
    }

    /// Throws all mistakes found so far.
    func check() throws(SettingsError) {
        if !problems.isEmpty { throw SettingsError(problems) }
    }

    /// Records that two settings exclude each other.
    mutating func contradiction(_ one: String, _ other: String) { problems.append(.contradiction(one, other)) }

    private typealias Texts = [(text: String, origin: SettingOrigin)]

    private func option(_ name: String) -> Texts? { options[name]?.map { ($0, .option) } }

    private func variable<Value>(_ key: SettingKey<Value>, separator: Character? = nil) -> Texts? {
        guard let text = environment[key.variable], !text.isEmpty else { return nil }
        let texts = separator.map { text.split(separator: $0).map(String.init) } ?? [text]
        return texts.map { (expanded($0, key), .environment(variable: key.variable)) }
    }

    /// In the files, the user's own first.
    private func entries<Value>(_ key: SettingKey<Value>) -> [Texts?] {
        func entry(_ file: SettingsFile, _ origin: (SourceLocation) -> SettingOrigin) -> Texts? {
            file.entries[key.name]?.map { entry in
                let text = expanded(entry.text, key)
                let isRelative =
                    key.isPath && !key.words.contains(text) && !text.isEmpty && !text.hasPrefix("/")
                    && !SettingFormat.isAddress(text)
                return (isRelative ? "\(file.folder)/\(text)" : text, origin(entry.location))
            }
        }
        return [entry(userFile) { .userFile($0) }, entry(file) { .file($0) }]
    }

    /// Replaces `~` at the beginning of a path by the home folder: no shell has expanded this text.
    private func expanded<Value>(_ text: String, _ key: SettingKey<Value>) -> String {
        guard key.isPath, text == "~" || text.hasPrefix("~/"), let home = environment["HOME"] else { return text }
        return home + text.dropFirst()
    }

    private mutating func read<Value>(_ key: SettingKey<Value>, _ text: String, _ origin: SettingOrigin) -> Value? {
        do throws(ValueError) {
            // An unset shell variable leaves an empty text, which no setting allows.
            guard !text.isEmpty else { throw ValueError.empty }
            return try key.parse(text)
        } catch {
            mistake(error, in: key.name, origin)
            return nil
        }
    }

    /// Records a mistake in the value of a setting.
    mutating func mistake(_ error: ValueError, in name: String, _ origin: SettingOrigin) {
        let problem: SettingProblem =
            switch origin {
            case .environment(let variable): .environment(variable: variable, error)
            case .userFile(let location): .file(userFile.located(error, of: name, at: location))
            case .file(let location): .file(file.located(error, of: name, at: location))
            case .option, .state, .standard: .option(name: name, error)
            }
        if !problems.contains(problem) { problems.append(problem) }
    }

    /// The task of an array that this process is.
    var taskArray: TaskArray { TaskArray(environment: environment) }
}

extension SettingOrigin {
    /// 0 for the strongest.
    var rank: Int {
        switch self {
        case .option: 0
        case .environment: 1
        case .userFile: 2
        case .file: 3
        case .state: 4
        case .standard: 5
        }
    }
}
