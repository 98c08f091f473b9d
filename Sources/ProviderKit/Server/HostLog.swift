/// Says something in the host's log. Text on standard error gets there too, without a level.
public enum HostLog {
    /// How much a line matters.
    public enum Level: String, Sendable, Codable {
        /// For whoever looks for a bug.
        case debug
        /// Good to know.
        case info
        /// Something is odd, work goes on.
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

    /// Sends one line to the host's log. It must not hold a secret.
    public static func write(_ level: Level, _ message: String) {
        PluginOutput.standard.send(Notification(params: .init(level: level, message: message)))
    }
}
