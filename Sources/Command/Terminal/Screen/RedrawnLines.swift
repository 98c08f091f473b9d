import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lines at the bottom of a terminal that are redrawn in place; without a terminal nothing is shown.
package final class RedrawnLines: Sendable {
    private let frame: Mutex<ScreenFrame>
    private let descriptor: Int32
    /// Whether anything is ever shown.
    package let isShown: Bool

    package init(descriptor: Int32, environment: [String: String]) {
        self.descriptor = descriptor
        isShown = isatty(descriptor) == 1 && TerminalStyle.canMoveCursor(environment: environment)
        frame = Mutex(ScreenFrame(reflows: ScreenFrame.reflows(environment)))
    }

    /// Shows the result of `lines` for the current size, in place of the previous lines. Lines that don't fit the
    /// terminal are cut; the last one always stays.
    package func show(_ lines: (TerminalSize) -> [String]) {
        guard isShown else { return }
        // A background process of the shell must not write over the foreground's output.
        let owner = tcgetpgrp(descriptor)
        guard owner < 0 || owner == getpgrp() else { return }
        let size = TerminalSize.of(descriptor: descriptor)
        let live = Self.fitting(lines(size), size)
        frame.withLock { frame in
            if let text = frame.frame(scrolled: [], live: live, size: size) { write(text) }
        }
    }

    /// Removes the lines, writes others in their place, and shows the cursor again; the next lines begin below.
    package func clear(leaving lines: [String] = []) {
        guard isShown else { return }
        frame.withLock { frame in
            guard frame.isShowing || !lines.isEmpty else { return }
            write(frame.end(scrolled: lines, size: TerminalSize.of(descriptor: descriptor)))
        }
    }

    /// The handler of Ctrl-Z if there are lines to remove first.
    package var pause: (@Sendable () -> Void)? {
        guard isShown else { return nil }
        return {
            self.clear()
            kill(getpid(), SIGSTOP)
        }
    }

    /// As many lines as fit, none wider than the terminal.
    static func fitting(_ lines: [String], _ size: TerminalSize) -> [String] {
        let room = max(1, size.rows - 1)
        var shown = lines
        if lines.count > room {
            let hidden = lines.count - room + 1
            shown = Array(lines.prefix(max(0, room - 2)))
            if room > 1 { shown.append("… \(hidden) more lines") }
            shown += lines.suffix(1)
        }
        return shown.map { TerminalFormat.cutStyled($0, to: max(1, size.columns - 1)) }
    }

    private func write(_ text: String) { DescriptorWriter.write(Array(text.utf8), to: descriptor) }
}
