import CommandOutput
import Terminal
import YAMLSource

enum SettingProblem: Sendable, Equatable {
    case option(name: String, ValueError)
    case environment(variable: String, ValueError)
    case file(Diagnostic)
    case unreadable(String)
    /// Somebody else could change it, for this reason.
    case distrusted(String, String)
    /// Two that exclude each other, from the same origin.
    case contradiction(String, String)

    /// The message. A mistake in the file has its place and its source line.
    var text: String {
        switch self {
        case .option(let name, let error): "error: --\(name): \(Self.printable(error))"
        case .environment(let variable, let error): "error: \(variable): \(Self.printable(error))"
        case .file(let diagnostic): diagnostic.text
        case .distrusted(let path, let reason):
            "error: the settings file \(path) isn't used, since it can name commands to run: \(reason)"
        case .unreadable(let path): "error: the settings file \(path) can't be read"
        case .contradiction(let one, let other): "error: --\(one) and --\(other) can't be used together"
        }
    }

    private static func printable(_ error: ValueError) -> String {
        TerminalFormat.printableLines("\(error)").joined(separator: " ")
    }
}

/// All mistakes in the settings.
struct SettingsError: Error, Sendable, Equatable {
    var problems: [SettingProblem]

    init(_ problems: [SettingProblem]) { self.problems = problems }
}
