package import DownloadStore
package import Foundation
package import Logging
package import MediaTransfer
package import SyncFacts
import Synchronization

/// The limits of one run: ends it when its window closes or its quota is used up, and sets the engine's bandwidth by
/// the timetable.
package final class RunLimits: Sendable {
    private struct State {
        var timetable: BandwidthTimetable
        var setRate: (@Sendable (Int64?) -> Void)?
        var window: Task<Void, Never>?
        var follower: Task<Void, Never>?
    }

    /// For the engine's configuration; nil without `--max-transfer`.
    package let quota: TransferQuota?
    private let clock: any RunClock
    private let zone: TimeZone
    /// The time at which the window closes; nil without one.
    package let closes: Date?
    private let stop: @Sendable (SuspendReason) -> Void
    private let logger: Logger
    private let state: Mutex<State>

    /// `stop` is called with `window` or `quota`, once for each, and should return at once.
    package init(
        _ options: SyncOptions, startedAt start: Date, clock: any RunClock, logger: Logger,
        stop: @escaping @Sendable (SuspendReason) -> Void
    ) {
        self.clock = clock
        self.stop = stop
        self.logger = logger
        zone = options.zone
        closes = options.window.closes(startedAt: start, in: options.zone)
        quota = options.maxTransfer.map { limit in TransferQuota(limit: limit) { stop(.quota) } }
        state = Mutex(State(timetable: options.bandwidth))
    }

    deinit { end() }

    /// The bytes that may still be transferred; nil for no limit.
    package var remainingQuota: Int64? { quota.map { max(0, $0.limit - $0.received) } }

    /// The current bandwidth.
    package var rate: Int64? { state.withLock { $0.timetable }.rate(at: clock.now, in: zone) }

    /// Watches the window from now on. If it is closed already, calls `stop` before it returns.
    package func watchWindow() {
        guard let closes else { return }
        guard closes > clock.now else { return stop(.window) }
        let (clock, stop) = (clock, stop)
        let task = Task {
            do { try await clock.sleep(until: closes) } catch { return }
            stop(.window)
        }
        state.withLock { $0.window = task }
    }

    /// Calls `setRate` with the current rate, and with each new one from now on.
    package func drive(_ setRate: @escaping @Sendable (Int64?) -> Void) {
        state.withLock { $0.setRate = setRate }
        follow()
    }

    /// Sets another timetable.
    package func setBandwidth(_ timetable: BandwidthTimetable) {
        state.withLock { $0.timetable = timetable }
        follow()
    }

    /// Ends all watching.
    package func end() {
        state.withLock { state in
            state.window?.cancel()
            state.follower?.cancel()
            state.setRate = nil
        }
    }

    private func follow() {
        state.withLock { state in
            state.follower?.cancel()
            guard let setRate = state.setRate else { return }
            let (timetable, clock, zone, logger) = (state.timetable, clock, zone, logger)
            // The first rate is set on return, so that two changes can't overtake each other.
            setRate(timetable.rate(at: clock.now, in: zone))
            state.follower = Task {
                while let next = timetable.nextChange(after: clock.now, in: zone) {
                    do { try await clock.sleep(until: next) } catch { return }
                    let rate = timetable.rate(at: clock.now, in: zone)
                    logger.debug("bandwidth: \(rate.map { "\($0) bytes a second" } ?? "no limit")")
                    setRate(rate)
                }
            }
        }
    }
}
