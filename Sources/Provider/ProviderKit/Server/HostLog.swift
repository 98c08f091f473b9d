import Synchronization

/// Writes to the host's log. Text on standard error is logged, too, without a level.
public enum HostLog {
    /// The importance of a line.
    public enum Level: String, Sendable, Codable {
        /// For debugging.
        case debug
        case info
        /// Something is unusual; the work continues.
        case warning
        /// Something went wrong.
        case error
    }

    private struct Notification: Encodable {
        struct Parameters: Encodable {
            var level: Level
            var message: String
        }

        var jsonrpc = "2.0"
        var method = "log"
        var params: Parameters
    }

    private static let hasHost = Atomic(false)

    /// Called once requests from a host are served on standard input.
    static func open() { hasHost.store(true, ordering: .relaxed) }

    /// Whether this process serves a host: of another one standard output isn't the protocol's.
    package static var isOpen: Bool { hasHost.load(ordering: .relaxed) }

    /// Writes one line to the host's log. It must not contain a secret.
    public static func write(_ level: Level, _ message: String) {
        PluginOutput.standard.send(Notification(params: .init(level: level, message: message)))
    }
}
