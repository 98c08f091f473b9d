import YAMLSource

enum SettingOrigin: Sendable, Equatable {
    case option
    case environment(variable: String)
    /// The settings file of one user of the account.
    case userFile(SourceLocation)
    case file(SourceLocation)
    /// The state, from an earlier sync or `library move`.
    case state
    case standard
}

extension SettingOrigin: CustomStringConvertible {
    var description: String {
        switch self {
        case .option: "the command line"
        case .environment(let variable): variable
        case .userFile(let location), .file(let location): location.description
        case .state: "the state"
        case .standard: "default"
        }
    }
}

extension SettingOrigin {
    /// Whether it holds for this command only.
    var isGiven: Bool {
        switch self {
        case .option, .environment: true
        case .userFile, .file, .state, .standard: false
        }
    }

    /// The setting's name as written in this origin: `--ca-file`, `COURSEFETCH_CA_FILE`, `config.yaml:3:10: ca-file`.
    func naming(_ name: String) -> String {
        switch self {
        case .option, .state, .standard: "--\(name)"
        case .environment(let variable): variable
        case .userFile(let location), .file(let location): "\(location): \(name)"
        }
    }
}

struct Setting<Value: Sendable>: Sendable {
    var value: Value
    var origin: SettingOrigin
}

extension Setting: Equatable where Value: Equatable {}

/// A setting with a value of any type.
protocol AnySetting: Sendable {
    var anyValue: Any { get }
    var origin: SettingOrigin { get }
}

extension Setting: AnySetting {
    var anyValue: Any { value }
}
