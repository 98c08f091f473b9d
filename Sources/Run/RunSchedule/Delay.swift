package import Foundation

/// What downloads wait for that were left for a later run: the most of them first.
package struct Delay: Sendable, Equatable {
    /// Who asked for it, or doesn't answer.
    package enum Cause: Sendable, Hashable {
        /// The server of the media: scheme, host and port.
        case host(String)
        case provider(ProviderServer)
    }

    package var cause: Cause
    /// The end of the wait.
    package var until: Date
    /// How long that is from now, in seconds.
    package var rest: Double
    package var downloads: Int
}

extension Delay {
    /// The servers that are left alone, and have waiting downloads.
    static func all(of run: RunState, at now: Date) -> [Delay] {
        var found: [Cause: Delay] = [:]
        func note(_ cause: Cause, _ until: Date?) {
            guard let until, until > now else { return }
            let delay = Delay(cause: cause, until: until, rest: until.timeIntervalSince(now), downloads: 0)
            found[cause, default: delay].downloads += 1
        }
        for (id, phase) in run.phases.all {
            guard case .queued(let host, _) = phase, let download = run.downloads[id] else { continue }
            if let host, run.queue.blockedUntil(host).map({ $0 > now }) ?? false {
                note(.host(host), run.queue.blockedUntil(host))
            } else {
                note(.provider(download.server), run.queue.restsUntil(download.server))
            }
        }
        return found.values.sorted { ($1.downloads, $0.until) < ($0.downloads, $1.until) }
    }
}
