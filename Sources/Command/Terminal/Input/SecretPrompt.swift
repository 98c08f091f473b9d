import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Asks for secrets on the user's terminal, without echo: the thin shell around ``SecretLine``.
///
/// The terminal is restored by ``close()``, and also when a signal ends or stops the process. There is one at a time.
package final class SecretPrompt: Sendable {
    /// The reason why there is no secret.
    package enum Problem: Error, Equatable {
        /// Ctrl-D, or the terminal disappeared.
        case ended
        case tooLong
        case notUTF8
    }

    private let input: Int32
    private let output: Int32
    private let isOwned: Bool
    private let before: termios
    /// The prompt on the terminal.
    private let shown = Mutex("")
    /// Whether the present answer is shown while it is typed.
    private let echoes = Mutex(false)

    /// The one that is open, for the signals.
    private static let current = Mutex<SecretPrompt?>(nil)
    /// They stay when it is closed: a signal that a source has watched once doesn't end the process by itself any more.
    private static let signals = Mutex<[any DispatchSourceSignal]>(watch())

    /// The process's terminal, else standard input if that is one. Nil without a terminal.
    package init?() {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        isOwned = terminal >= 0
        input = isOwned ? terminal : STDIN_FILENO
        output = isOwned ? terminal : STDERR_FILENO
        var state = termios()
        guard tcgetattr(input, &state) == 0 else {
            if isOwned { Self.close(terminal) }
            return nil
        }
        before = state
        hide()
        Self.current.withLock { $0 = self }
        Self.signals.withLock { _ in }
    }

    /// Restores the terminal.
    package func close() {
        Self.current.withLock { $0 = nil }
        show()
        if isOwned { Self.close(input) }
    }

    /// Asks for one text, without a time limit. One that isn't secret is shown while it is typed.
    package func ask(_ prompt: String, isSecret: Bool = true) async throws(Problem) -> String {
        shown.withLock { $0 = prompt }
        if !isSecret {
            echoes.withLock { $0 = true }
            show()
        }
        defer {
            if !isSecret {
                echoes.withLock { $0 = false }
                hide()
            }
        }
        say(prompt)
        let result: Result<String, Problem> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.line()) }
        }
        shown.withLock { $0 = "" }
        if isSecret { say("\n") }
        return try result.get()
    }

    private func line() -> Result<String, Problem> {
        var line = SecretLine()
        var byte: UInt8 = 0
        while true {
            let count = read(input, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .failure(.ended) }
            switch line.take(byte) {
            case .more: break
            case .done(let text): return .success(text)
            case .ended: return .failure(.ended)
            case .tooLong: return .failure(.tooLong)
            case .notUTF8: return .failure(.notUTF8)
            }
        }
    }

    private func say(_ text: String) { DescriptorWriter.write(Array(text.utf8), to: output) }

    private func hide() {
        var state = before
        state.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
        withUnsafeMutableBytes(of: &state.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        // Input typed before the prompt isn't meant for it, and has been visible.
        tcsetattr(input, TCSAFLUSH, &state)
    }

    private func show() {
        var state = before
        tcsetattr(input, TCSAFLUSH, &state)
    }

    private static func watch() -> [any DispatchSourceSignal] {
        let queue = DispatchQueue(label: "secret prompt")
        return [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT].compactMap { number in
            guard !SignalWatch.isIgnored(number) else { return nil }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                let prompt = current.withLock { $0 }
                if number == SIGCONT {
                    prompt?.goOn()
                } else {
                    prompt?.leave()
                    guard number == SIGTSTP else { _exit(128 + number) }
                    kill(getpid(), SIGSTOP)
                }
            }
            source.resume()
            return source
        }
    }

    /// Hides the input again: between the request to stop and the stop, the thread that reads keeps running.
    private func goOn() {
        if !echoes.withLock({ $0 }) { hide() }
        say(shown.withLock { $0 })
    }

    private func leave() {
        show()
        say("\n")
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #elseif canImport(Musl)
        Musl.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }
}
