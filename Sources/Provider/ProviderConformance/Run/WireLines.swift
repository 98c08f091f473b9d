import ProviderHost
import ProviderKit

/// A line that was sent, and the line that came, as they are.
struct WireLines: Sendable, PrintsRedacted {
    private static let bound = 600

    var sent: [UInt8]
    var came: [UInt8]?
    var redactor: Redactor

    /// The lines without secrets, cut.
    var exchange: Exchange { Exchange(sent: shown(sent), came: came.map(shown)) }

    private func shown(_ line: [UInt8]) -> String {
        guard !line.isEmpty else { return "" }
        let bytes = line.last == 0x0A ? line.dropLast() : line[...]
        let text = Array(bytes).withUnsafeBytes { WireLogLine.of($0, redactor) }
        let shown = text ?? redactor.redact(String(decoding: bytes.prefix(400), as: UTF8.self), limit: 300)
        return shown.count > Self.bound ? String(shown.prefix(Self.bound)) + "…" : shown
    }
}
