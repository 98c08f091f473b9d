import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One line at the bottom of a terminal that is written over again and again; nothing where there is no terminal.
final class ProgressLine: Sendable {
    private let frame: Mutex<ScreenFrame>
    private let descriptor: Int32
    /// Whether anything is ever shown.
    let isShown: Bool

    init(descriptor: Int32, environment: [String: String]) {
        self.descriptor = descriptor
        isShown = isatty(descriptor) == 1 && TerminalStyle.canMoveCursor(environment: environment)
        frame = Mutex(ScreenFrame(reflows: ScreenFrame.reflows(environment)))
    }

    /// Shows what `text` makes for the width that there is, in the place of what was shown before.
    func show(_ text: (_ columns: Int) -> String) {
        guard isShown else { return }
        // A background process of the shell must not write over what the person is doing.
        let owner = tcgetpgrp(descriptor)
        guard owner < 0 || owner == getpgrp() else { return }
        let size = TerminalSize.of(descriptor: descriptor)
        let line = text(size.columns)
        frame.withLock { frame in
            if let text = frame.frame(scrolled: [], live: [line], size: size) { write(text) }
        }
    }

    /// Takes the line away and gives the cursor back; the next one that is shown begins anew.
    func clear() {
        guard isShown else { return }
        frame.withLock { frame in
            guard frame.isShowing else { return }
            write(frame.end(scrolled: [], size: TerminalSize.of(descriptor: descriptor)))
        }
    }

    /// What Ctrl-Z does where there is a line to take away first.
    var pause: (@Sendable () -> Void)? {
        guard isShown else { return nil }
        return {
            self.clear()
            kill(getpid(), SIGSTOP)
        }
    }

    private func write(_ text: String) { DescriptorWriter.write(Array(text.utf8), to: descriptor) }
}
