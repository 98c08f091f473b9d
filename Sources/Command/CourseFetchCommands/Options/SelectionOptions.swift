import ArgumentParser
import DownloadStore
import SyncFacts

/// The downloads that a command applies to.
struct SelectionOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            \(SelectorSyntax.forms); each part can be a pattern with * and ?. Selectors from status can be pasted here.
            """,
            valueName: "selector"),
        completion: .selectors, transform: Selector.argument)
    var selectors: [Selector] = []

    @Flag(help: "All downloads.")
    var all = false

    @Flag(help: "Waiting videos.")
    var waiting = false

    @Flag(help: "Videos in progress.")
    var active = false

    @Flag(help: "Paused videos.")
    var paused = false

    @Flag(
        name: [.customLong("stopped"), .customLong("suspended")],
        help: "Stopped videos, which the next sync continues.")
    var suspended = false

    @Flag(help: "Finished videos.")
    var finished = false

    @Flag(help: "Failed videos.")
    var failed = false

    @Flag(help: "Cancelled videos.")
    var cancelled = false

    /// The selection, or nil if none was given.
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
        if all, !selectors.isEmpty { throw ValidationError("--all and selectors can't be used together") }
    }
}

extension Selector {
    /// Reads a selector from the command line.
    static func argument(_ text: String) throws -> Selector {
        do throws(SelectorError) {
            return try Selector(text)
        } catch {
            throw ValidationError(SelectorSyntax.message(error))
        }
    }
}
