import ArgumentParser
import CommandOutput
import Foundation
import Operations
import RunAccess
import SyncFacts
import Synchronization
import Terminal

struct Copy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy finished videos to a stick or a disk, as a library of its own.",
        usage: "coursefetch copy [<selector> ...] --to <folder> [--prune] [<options>]",
        discussion: """
            Copies finished videos with covers, subtitles, attachments and other views, a page for each course, and \
            SHA256SUMS for sha256sum -c; without a selector all of them. Each file is flushed and read back from the \
            disk. A copy that was stopped, or whose stick was pulled out, is continued by the same command, which also \
            brings an older copy up to date. A file that is missing or changed is named, and the others are copied. \
            Another machine uses the copy without a network: library adopt --rebuild --library FOLDER.

            EXAMPLES:
              coursefetch copy --to /media/usb/courses
              coursefetch copy phys101 'chem*/optics' --to /media/usb/courses
              coursefetch copy phys101 --to /media/usb/courses --prune
            """)

    @Argument(
        help: ArgumentHelp("\(SelectorSyntax.forms); each part may be a glob.", valueName: "selector"),
        completion: .selectors, transform: Selector.argument)
    var selectors: [Selector] = []

    @Option(
        help: ArgumentHelp("The folder to copy to; it is made if missing.", valueName: "folder"),
        completion: .directory)
    var to: String

    @Flag(help: "Remove the videos from the copy that aren't selected.")
    var prune = false

    @Flag(inversion: .prefixedNo, help: "Read the files back from the disk (default: on).")
    var verify = true

    @Flag(help: "Print one JSON object per event.")
    var json = false

    @OptionGroup(title: "PLACES") var place: ShardLocationOptions
    @OptionGroup(title: "PLACES") var all: AllShardsOption

    func run() async throws {
        let context = CommandContext()
        let location = try await context.settings(place.texts).location(of: all)
        var wish = CopyWish(selectors: selectors, folder: to)
        (wish.prunes, wish.verifies) = (prune, verify)
        let text = CopyText(wish)
        let progress = RedrawnLines(descriptor: STDERR_FILENO, environment: context.environment)
        let work = copying(location, wish, context, showing: progress)
        let abort: @Sendable () -> Void = {
            progress.clear()
            _exit(ExitStatus.interruptedTwice.rawValue)
        }
        let signals = SignalWatch(stop: { work.cancel() }, abort: abort, pause: progress.pause)
        let outcome = await work.value
        progress.clear()
        withExtendedLifetime(signals) {}
        let result = try await context.orRefuse { () throws(Refusal) in try outcome.get() }
        let status = ExitStatus(result.conditions)
        let ending = text.ending(result)
        if json {
            let line = CopyJSON.summary(result, exit: status, message: ending, now: Date())
            context.output.send(line, to: STDOUT_FILENO)
        } else {
            text.summary(result).forEach(context.say)
        }
        context.warn(of: result.leftOut)
        if let ending {
            throw await context.refuse(status, ending)
        }
        try await context.finish()
        if status != .success { throw await context.exit(status) }
    }

    /// The work itself, which can be cancelled.
    private func copying(
        _ location: StateLocation, _ wish: CopyWish, _ context: CommandContext, showing progress: RedrawnLines
    ) -> Task<Result<LibraryCopy, Refusal>, Never> {
        let shown = Mutex(CopyProgressText())
        let told = Mutex(Date.distantPast)
        let (json, text) = (json, CopyText(wish))
        let observe: @Sendable (CopyEvent) -> Void = { event in
            let now = Date()
            if json {
                if case .progress = event {
                    let isDue = told.withLock { last in
                        guard abs(now.timeIntervalSince(last)) >= 0.5 else { return false }
                        last = now
                        return true
                    }
                    guard isDue else { return }
                }
                return context.output.send(CopyJSON.line(event, now: now), to: STDOUT_FILENO)
            }
            switch event {
            case .begun(let folder, let progress): if let line = text.begun(folder, progress) { context.say(line) }
            case .copied(_, let path, let bytes, let isUpdate):
                // On a terminal the progress says it.
                if !progress.isShown { context.say(text.copied(path, bytes: bytes, isUpdate: isUpdate)) }
            case .failed(let problem):
                progress.clear()
                context.complain(text.warning(problem))
            case .progress(let state):
                progress.show { size in shown.withLock { $0.lines(state, columns: size.columns, now: now) } }
            }
        }
        return Task {
            do throws(Refusal) {
                return .success(try await LibraryCopy.run(location, wish, observe: observe))
            } catch {
                return .failure(error)
            }
        }
    }
}
