package import Foundation
package import ProviderConformance
import Terminal

/// What `plugins check --record` has recorded and taken out.
package enum RecordingText {
    package static func lines(_ outcome: FixtureRecording.Outcome) -> [String] {
        var lines = ["recorded \(Wording.count(outcome.exchanges, "exchange"))"]
        if outcome.unanswered > 0 {
            lines.append("  \(Wording.count(outcome.unanswered, "request")) had no response from the host")
        }
        lines += takings(outcome).map { "  taken out: \($0.what)\($0.count > 1 ? " (\($0.count) times)" : "")" }
        lines.append("  Look through the files before you give them away: only you can tell what else is personal.")
        return lines.map(TerminalFormat.printable)
    }

    package static func json(_ outcome: FixtureRecording.Outcome, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("fixtures_recorded", at: now)
        line.field("exchanges", outcome.exchanges)
        line.field("unanswered", outcome.unanswered)
        line.objects("taken_out", takings(outcome)) { line, taking in
            line.field("what", taking.what)
            line.field("count", taking.count)
        }
        return line.finished()
    }

    private static func takings(_ outcome: FixtureRecording.Outcome) -> [(what: String, count: Int)] {
        outcome.taken.map { (what: $0.key.words, count: $0.value) }.sorted { $0.what < $1.what }
    }
}

extension FixtureRedaction {
    fileprivate var words: String {
        switch self {
        case .field(let name): "the value of the header \(name)"
        case .credential: "a secret of the credentials"
        case .query(let name): "the value of '\(name)' in a query"
        case .member(let name): "the value of '\(name)' in JSON or XML"
        case .webToken: "a JSON web token"
        case .mail: "an e-mail address"
        case .body: "a body that is compressed or binary"
        }
    }
}
