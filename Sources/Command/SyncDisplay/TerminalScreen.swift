import Dispatch
package import Foundation
package import SyncFacts
import Synchronization
import Terminal

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Shows a ``LiveView`` on a terminal: the thin shell around it.
///
/// Draws only changes, at most ten times a second, with one write per frame, on its own queue: a stopped terminal
/// blocks nothing but this queue. In the background nothing is drawn.
package final class TerminalScreen: Sendable {
    private struct State {
        var view: LiveView
        var frame: ScreenFrame
        var isDirty = true
        var lastDrawn = Date.distantPast
        var lastSize: TerminalSize?
        var isClosed = false
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "screen")
    private let descriptor: Int32
    private let clock: @Sendable () -> Date

    /// A screen on the terminal behind `descriptor`; shows nothing before ``start()``.
    package init(
        view: LiveView, descriptor: Int32, environment: [String: String],
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.clock = clock
        state = Mutex(State(view: view, frame: ScreenFrame(reflows: ScreenFrame.reflows(environment))))
        self.descriptor = descriptor
    }

    /// Begins to draw.
    package func start() { queue.async { self.tick() } }

    /// Records an event; never waits for the terminal.
    package func receive(_ event: SyncEvent) {
        let now = clock()
        state.withLock { state in
            state.view.receive(event, at: now)
            state.isDirty = true
        }
    }

    /// Writes a line of text above the live lines.
    package func note(_ text: String) {
        state.withLock { state in
            state.view.note(text)
            state.isDirty = true
        }
    }

    /// Removes the live lines, writes the remaining text and shows the cursor again.
    package func close() async {
        await withCheckedContinuation { done in
            queue.async {
                self.finish()
                done.resume()
            }
        }
    }

    /// Like ``close()``, at once and from any thread, for a process that is about to end. A terminal that accepts no
    /// output is left as it is.
    package func restore() {
        let last: String? =
            state.withLockIfAvailable { state in
                guard !state.isClosed else { return nil }
                state.isClosed = true
                return state.frame.end(scrolled: [], size: TerminalSize.of(descriptor: descriptor))
            } ?? "\u{1B}[?7h\u{1B}[?25h"
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if let last, Self.poll(&poll), poll.revents & Int16(POLLOUT) != 0 { write(last) }
    }

    /// Restores the terminal, calls `stop`, which stops the process (Ctrl-Z), and redraws everything afterwards.
    package func step(aside stop: @escaping @Sendable () -> Void) {
        queue.async {
            let text: String? = self.state.withLock { state in
                state.isDirty = true
                return state.isClosed ? nil : state.frame.end(scrolled: [], size: .of(descriptor: self.descriptor))
            }
            if let text { self.write(text) }
            stop()
        }
    }

    private static func poll(_ descriptor: inout pollfd) -> Bool {
        #if canImport(Glibc)
        Glibc.poll(&descriptor, 1, 0) > 0
        #else
        Darwin.poll(&descriptor, 1, 0) > 0
        #endif
    }

    /// Draws changes, and schedules itself a tenth of a second later.
    private func tick() {
        guard state.withLock({ !$0.isClosed }) else { return }
        draw()
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.tick() }
    }

    private func draw() {
        // A background process of the shell must not write over the foreground's output.
        let owner = tcgetpgrp(descriptor)
        guard owner < 0 || owner == getpgrp() else { return }
        let size = TerminalSize.of(descriptor: descriptor)
        let now = clock()
        let text: String? = state.withLock { state in
            guard !state.isClosed else { return nil }
            // Without events only clocks change: once a second is enough for them.
            let isDue = state.isDirty || size != state.lastSize || abs(now.timeIntervalSince(state.lastDrawn)) >= 1
            guard isDue else { return nil }
            state.isDirty = false
            state.lastDrawn = now
            state.lastSize = size
            let scrolled = state.view.takeScrolled(width: size.columns, now: now)
            let live = state.view.lines(width: size.columns, height: size.rows, now: now)
            return state.frame.frame(scrolled: scrolled, live: live, size: size)
        }
        if let text { write(text) }
    }

    private func finish() {
        let size = TerminalSize.of(descriptor: descriptor)
        let text: String? = state.withLock { state in
            guard !state.isClosed else { return nil }
            state.isClosed = true
            return state.frame.end(
                scrolled: state.view.takeScrolled(width: size.columns, now: clock()), size: size)
        }
        if let text { write(text) }
    }

    private func write(_ text: String) { DescriptorWriter.write(Array(text.utf8), to: descriptor) }
}
