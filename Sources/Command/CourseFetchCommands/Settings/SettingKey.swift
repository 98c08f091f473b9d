/// A setting: its name, its default, its help, and how its text is read.
///
/// The name is that of the long option of `sync`, of the key in the settings file, and, in capitals, of the variable.
/// ``SettingTable`` has all settings.
struct SettingKey<Value: Sendable>: Sendable {
    /// With dashes: `max-wait`.
    let name: String
    let form: SettingForm
    /// The name of the short option.
    let short: String?
    let standard: Value
    /// The help of the option; `{standard}` is replaced by ``standard``.
    let help: String
    /// The text is a path: `~` is the home folder, and in the settings file it is relative to that file.
    let isPath: Bool
    /// Texts that aren't paths although ``isPath`` is set.
    let words: Set<String>
    let parse: @Sendable (String) throws(ValueError) -> Value

    init(
        _ name: String, _ form: SettingForm, short: String? = nil, standard: Value, help: String,
        isPath: Bool = false, words: Set<String> = [], parse: @escaping @Sendable (String) throws(ValueError) -> Value
    ) {
        self.name = name
        self.form = form
        self.short = short
        self.standard = standard
        self.help = help
        self.isPath = isPath
        self.words = words
        self.parse = parse
    }
}

enum SettingForm: Sendable, Equatable {
    /// With a value; the argument is its name in the help.
    case value(String)
    /// With several values, separated by this character in a variable. With `addsUp` the values of all layers count,
    /// else those of the strongest.
    case list(String, separator: Character, addsUp: Bool)
    /// True or false; `no-` before the name inverts it in a file or a variable, and as an option if `isInvertible`.
    case flag(isInvertible: Bool)

    /// The value's name in the help; nil for a flag.
    var valueName: String? {
        switch self {
        case .value(let name), .list(let name, _, _): name
        case .flag: nil
        }
    }

    var isFlag: Bool { valueName == nil }

    var isList: Bool { if case .list = self { true } else { false } }
}

/// A setting with a value of any type.
protocol AnySettingKey: Sendable {
    var name: String { get }
    var form: SettingForm { get }
    /// The help of the option.
    var help: String { get }
    /// Its values in these layers, each with its origin; at least one, except for a list.
    func values(in layers: inout SettingLayers) -> [any AnySetting]
}

extension AnySettingKey {
    /// The variable for it: `COURSEFETCH_MAX_WAIT` for `max-wait`.
    var variable: String { "COURSEFETCH_" + name.uppercased().replacing("-", with: "_") }
}

extension SettingKey: AnySettingKey {
    func values(in layers: inout SettingLayers) -> [any AnySetting] { layers.values(self) }
}

extension SettingKey where Value == Bool {
    /// A flag.
    init(_ name: String, short: String? = nil, isInvertible: Bool = true, standard: Bool = false, help: String) {
        self.init(
            name, .flag(isInvertible: isInvertible), short: short, standard: standard, help: help,
            parse: SettingFormat.flag)
    }
}
