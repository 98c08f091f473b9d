import ProviderKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks whether a plugin starts and answers, without a real request.
///
/// It is asked for a method that it needn't have, `ping`: any answer is accepted, and the protocol's is error -32601.
/// One that ends instead is started once more without a request, which distinguishes a program that can't run from one
/// that rejects the method.
package enum PluginProbe {
    /// The result. Texts are safe to show.
    package enum Finding: Sendable, Equatable {
        case answers
        /// No process could be started.
        case cannotStart(String)
        /// It ends by itself before any request.
        case ends(String)
        /// Its output violates the protocol.
        case breaksProtocol(String)
        /// It runs, but doesn't answer an unknown method: it ends or is silent.
        case silent(String)
    }

    private enum Event: Sendable {
        case answer
        case violation(String)
        case ended(PluginProcess.End)
        /// The message about a timeout.
        case timeout(String)
    }

    private struct Ping: Encodable {
        struct Parameters: Encodable {
            var user: String
            var now: String
            var credentials: String?
            var settings: [String: String] = [:]
        }

        var jsonrpc = "2.0"
        var id = 1
        var method = "ping"
        var params: Parameters
    }

    /// Starts the plugin, asks, and ends it; nothing is left on return. Takes at most `limit` for the answer, a quarter
    /// of that for a second start, and the protocol's time for a process to end.
    package static func run(
        _ plugin: Plugin, user: String, limit: Duration = .seconds(8),
        timeouts: PluginTimeouts = PluginTimeouts(), watchdog: OrphanWatchdog
    ) async -> Finding {
        BrokenPipes.ignore
        let ping = Ping(params: .init(user: user, now: Timestamp.text(Date())))
        guard let line = try? JSONEncoder().encode(ping) else { return .silent("the question can't be written") }
        let limit = min(limit, plugin.manifest.timeout)
        let (event, words) = await converse(
            plugin, sending: [UInt8](line) + [0x0A], limit: limit, timeouts: timeouts, watchdog: watchdog)
        switch event {
        case .answer: return .answers
        case .violation(let reason): return .breaksProtocol(reason + words)
        case .timeout(let silence): return .silent(silence + words)
        case .ended(.couldNotStart(let reason, _)): return .cannotStart(reason + words)
        case .ended(.ended(let reason, _)):
            switch await converse(plugin, sending: nil, limit: limit / 4, timeouts: timeouts, watchdog: watchdog).event
            {
            case .ended: return .ends(reason + words)
            case .answer, .violation, .timeout: return .silent(reason + words)
            }
        }
    }

    /// The first event, and the process's last output. The process is gone on return.
    private static func converse(
        _ plugin: Plugin, sending line: [UInt8]?, limit: Duration, timeouts: PluginTimeouts,
        watchdog: OrphanWatchdog
    ) async -> (event: Event, words: String) {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let decoder = AnswerDecoder { $0 == 1 ? .login : nil }
        let listener = PluginProcess.Listener(
            line: { line in
                switch decoder.decode(line) {
                case .reply: continuation.yield(.answer)
                case .stray(let wire):
                    continuation.yield(.violation("it answered request \(wire), which was never sent"))
                case .violation(let reason): continuation.yield(.violation(reason))
                case .log, .ignored: break
                }
            }, violation: { continuation.yield(.violation($0)) }, log: { _ in })
        let process = PluginProcess(plugin.launch, timeouts: timeouts, listener: listener)
        if let line { process.send(line) }
        let running = Task.detached {
            let end = await process.run(watchdog: watchdog)
            continuation.yield(.ended(end))
        }
        let timer = Task.detached {
            do { try await Task.sleep(for: limit) } catch { return }
            continuation.yield(.timeout(process.silence(limit)))
        }
        var first = Event.timeout("")
        for await event in events {
            first = event
            break
        }
        timer.cancel()
        if case .answer = first { process.finishInput() } else { process.stop() }
        await running.value
        let redactor = Redactor()
        let lines = process.lastLines().map { redactor.redact($0, limit: 200) }
        return (first, lines.isEmpty ? "" : "; its stderr: \(lines.joined(separator: " | "))")
    }
}
