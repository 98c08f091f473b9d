import ArgumentParser
import DownloadStore
import SyncFacts

/// Which downloads a command is about.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "\(SelectorText.forms); each part may be a glob. What status prints can be pasted here.",
            valueName: "selector"),
        completion: .selectors, transform: Selector.argument)
    var selectors: [Selector] = []

    @Flag(help: "All downloads.")
    var all = false

    @Flag(help: "Those that wait for their turn.")
    var waiting = false

    @Flag(help: "Those in progress.")
    var active = false

    @Flag(help: "Those that were paused.")
    var paused = false

    @Flag(help: "Those that were stopped and go on by themselves.")
    var suspended = false

    @Flag(help: "Those whose files are there.")
    var finished = false

    @Flag(help: "Those that failed.")
    var failed = false

    @Flag(help: "Those that aren't wanted.")
    var cancelled = false

    /// The selection, or nil if nothing was said.
    var selection: Selection? {
        let flags: [(Bool, DownloadState)] = [
            (waiting, .waiting), (active, .active), (paused, .paused), (suspended, .suspended), (finished, .finished),
            (failed, .failed), (cancelled, .cancelled),
        ]
        let states = Set(flags.filter(\.0).map(\.1))
        guard all || !states.isEmpty || !selectors.isEmpty else { return nil }
        return Selection(selectors: selectors, states: states.isEmpty ? nil : states)
    }

    func validate() throws {
        if all, !selectors.isEmpty { throw ValidationError("--all and selectors contradict each other") }
    }
}

extension Selector {
    /// Reads a selector from the command line.
    static func argument(_ text: String) throws -> Selector {
        do throws(SelectorError) {
            return try Selector(text)
        } catch {
            throw ValidationError(SelectorText.message(error))
        }
    }
}
