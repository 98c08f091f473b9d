import Dispatch
import Foundation
import Synchronization

/// Turns signals into calls. A signal that was ignored when the process began stays ignored (nohup).
package final class SignalWatch {
    private let sources: [any DispatchSourceSignal]

    /// Watches for Ctrl-C, TERM and HUP, and for Ctrl-Z if `pause` is given.
    ///
    /// `stop` is called at the first of Ctrl-C, TERM and HUP; `abort` at the second Ctrl-C and should not return. All
    /// calls come on their own queue, whatever else is blocked.
    package init(
        stop: @escaping @Sendable () -> Void, abort: @escaping @Sendable () -> Void, pause: (@Sendable () -> Void)?
    ) {
        let queue = DispatchQueue(label: "signals", qos: .userInteractive)
        let interrupts = Interrupts()
        var sources: [any DispatchSourceSignal] = []
        func watch(_ number: Int32, _ handler: @escaping @Sendable (UInt) -> Void) {
            guard !Self.isIgnored(number) else { return }
            // Dispatch sees a signal whatever its action is; its default action must not end the process.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { handler(max(1, source.data)) }
            source.resume()
            sources.append(source)
        }
        watch(SIGINT) { count in
            stop()
            if interrupts.add(count) > 1 { abort() }
        }
        for number in [SIGTERM, SIGHUP] { watch(number) { _ in stop() } }
        if let pause { watch(SIGTSTP) { _ in pause() } }
        self.sources = sources
    }

    deinit { sources.forEach { $0.cancel() } }

    /// How often Ctrl-C was pressed.
    private final class Interrupts: Sendable {
        private let count = Atomic<UInt>(0)

        func add(_ more: UInt) -> UInt { count.add(more, ordering: .relaxed).newValue }
    }

    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Glibc)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        #else
        let handler = unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
        #endif
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
