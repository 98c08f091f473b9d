/// A setting: its name, what holds where nobody says anything, its help, and how its text is read.
///
/// The name is that of the long option of `sync`, of the key in the settings file, and, in capitals, of the variable. All
/// settings stand in ``SettingTable``.
struct SettingKey<Value: Sendable>: Sendable {
    /// With dashes: `max-wait`.
    let name: String
    let form: SettingForm
    /// What the option is called after a single dash.
    let short: String?
    let standard: Value
    /// What the option's help says; `{standard}` is replaced by ``standard``.
    let help: String
    /// The text is a path: `~` is the home folder then, and in the settings file it is relative to that file.
    let isPath: Bool
    /// Texts that aren't paths all the same.
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

/// How a setting is said.
enum SettingForm: Sendable, Equatable {
    /// With a value, which the help calls so.
    case value(String)
    /// With several values, separated like this in a variable. With `addsUp` those of all places count, else those of the
    /// strongest.
    case list(String, separator: Character, addsUp: Bool)
    /// As true or false; `no-` before the name says the opposite in a file or a variable, and as an option if `isInvertible`.
    case flag(isInvertible: Bool)

    /// What the help calls the value; nil for a flag.
    var valueName: String? {
        switch self {
        case .value(let name), .list(let name, _, _): name
        case .flag: nil
        }
    }

    var isFlag: Bool { valueName == nil }

    var isList: Bool { if case .list = self { true } else { false } }
}

/// A setting whatever its value's type.
protocol AnySettingKey: Sendable {
    var name: String { get }
    var form: SettingForm { get }
    /// What the option's help says.
    var help: String { get }
    /// Its values in these places, each with where it comes from; one at least, but for a list.
    func values(in layers: inout SettingLayers) -> [any AnySetting]
}

extension AnySettingKey {
    /// The variable that holds it: `COURSEFETCH_MAX_WAIT` for `max-wait`.
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
            parse: SettingText.flag)
    }
}
