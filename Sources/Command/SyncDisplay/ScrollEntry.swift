import CommandOutput
import SyncFacts
import Terminal

/// Final text, to be written once above the live lines.
enum ScrollEntry: Sendable {
    case finished(FinishedFile)
    case failed(Explanation)
    case warning(String)
    case note(String)
    /// Unchanged lines, from the log.
    case text(String)

    /// Its lines. A path is cut in its middle; an error is never cut but broken. Only a command may be wider than
    /// `width`: the terminal wraps it, so that it can be copied in one piece.
    func lines(width: Int, style: TerminalStyle) -> [String] {
        let room = max(width - 1, 16)
        switch self {
        case .finished(let file):
            let size = Wording.size(file.bytes)
            let path = TerminalFormat.cutMiddle(style.text(file.path), to: room - size.count - 4, mark: style.ellipsis)
            return ["\(style.paint(style.done, .good)) \(path)  \(style.paint(size, .dim))"]
        case .failed(let explanation):
            let problem = broken(explanation.problem, style.failed, .bad, room: room, style: style)
            return problem + advice(explanation, room: room, style: style).map { "  " + style.paint($0, .dim) }
        case .warning(let message):
            return broken(message, style.warned, .notice, room: room, style: style)
        case .note(let message):
            return broken(message, style.separator, .dim, room: room, style: style)
        case .text(let text):
            return TerminalFormat.printableLines(text).flatMap { line in
                TerminalFormat.wrap(style.hasUnicode ? line : TerminalFormat.ascii(line), to: room)
            }
        }
    }

    private func advice(_ explanation: Explanation, room: Int, style: TerminalStyle) -> [String] {
        guard let advice = explanation.advice.map(style.text) else { return [] }
        guard let command = explanation.command.map(style.text), DisplayWidth.of(advice) > room - 2 else {
            return TerminalFormat.wrap(advice, to: room - 2)
        }
        return TerminalFormat.wrap(style.text("\(explanation.remedy ?? "try"):"), to: room - 2) + ["  \(command)"]
    }

    private func broken(
        _ text: String, _ mark: String, _ role: TerminalStyle.Role, room: Int, style: TerminalStyle
    ) -> [String] {
        TerminalFormat.wrap(style.text(text), to: room - 2).enumerated().map { index, line in
            (index == 0 ? style.paint(mark, role) : " ") + " " + (role == .dim ? style.paint(line, .dim) : line)
        }
    }
}
