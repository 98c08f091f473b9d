import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Terminal

/// `status --watch`: redraws the table in place until a signal.
struct StatusWatch {
    let location: StateLocation
    let selection: Selection?
    let context: CommandContext

    /// Redraws until Ctrl-C, and leaves the last table on the screen. Refuses without a terminal.
    func run() async throws {
        let screen = RedrawnLines(descriptor: STDOUT_FILENO, environment: context.environment)
        guard screen.isShown else {
            throw await context.refuse(
                .usage,
                "--watch needs a terminal; in a script, follow a run with: coursefetch sync --json")
        }
        let work = Task { await follow(screen) }
        let signals = SignalWatch(stop: { work.cancel() }, abort: { work.cancel() }, pause: screen.pause)
        let end = await work.value
        withExtendedLifetime(signals) {}
        screen.clear(leaving: end.lines)
        if let refusal = end.refusal { throw await context.refuse(ExitStatus([refusal.condition]), refusal.message) }
    }

    /// The last lines, and the reason for stopping early.
    private func follow(_ screen: RedrawnLines) async -> (lines: [String], refusal: Refusal?) {
        let clock = ContinuousClock()
        while true {
            let begun = clock.now
            do throws(Refusal) {
                let lines = try await lines(narrowerBy: 1)
                screen.show { _ in lines }
                // Reading a state with very many videos takes a while, so the pause grows with it.
                let pause = max(.seconds(1), begun.duration(to: clock.now) * 4)
                guard (try? await Task.sleep(for: pause)) == nil else { continue }
                return (try await self.lines(narrowerBy: 0), nil)
            } catch {
                return ([], error)
            }
        }
    }

    private func lines(narrowerBy margin: Int) async throws(Refusal) -> [String] {
        let columns = TerminalSize.of(descriptor: STDOUT_FILENO).columns - margin
        let form = StatusTable.Form(style: context.style(of: STDOUT_FILENO), width: columns, hasBars: true)
        let table = StatusTable(form: form, zone: context.zone)
        return try await StatusReader.read(location) { reader throws(Refusal) in
            var lines: [String] = []
            try table.write(reader, selection, now: Date()) { lines.append($0) }
            for refusal in reader.leftOut {
                lines += TerminalFormat.wrap(TerminalFormat.printable("warning: " + refusal.message), to: columns)
            }
            return lines
        }
    }
}
