package import Logging
import SyncFacts
import Terminal

/// Writes log messages as lines of text to the diagnostics.
package struct LineLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    private let sink: @Sendable (String) -> Void

    package init(level: Logger.Level, sink: @escaping @Sendable (String) -> Void) {
        logLevel = level
        self.sink = sink
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let facts = metadata.merging(event.metadata ?? [:]) { _, new in new }
        let details = facts.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        // The rooms beneath have no words for the errors that they pass on.
        let reason = event.error.map { ": \(($0 as? Refusal)?.message ?? "\($0)")" } ?? ""
        sink("\(event.level): \(TerminalFormat.printable("\(event.message)\(reason)\(details)"))")
    }
}
