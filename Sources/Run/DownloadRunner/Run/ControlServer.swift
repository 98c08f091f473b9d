import DownloadJobs
import DownloadStore
import Foundation
import MediaLibrary
import MediaTransfer
import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// Answers the requests of other processes, from the start of a run to its end.
struct ControlServer: Sendable {
    private let open: RunResources
    private let control: RunControl
    private let watch: ControlWatch
    /// A connection for answers: the run's own one may be busy reading all rows during a comparison.
    private let answers: DownloadStore
    private let work: Task<Void, Never>

    /// Starts listening. `wording` returns the text of a refusal for an answer.
    init(
        _ open: RunResources, _ control: RunControl, wording: @escaping @Sendable (Refusal) -> String
    ) throws(StoreError) {
        self.open = open
        self.control = control
        watch = try ControlWatch(open.place, session: open.session)
        answers = try DownloadStore(path: open.place.folder.database.string, role: .client)
        let handler = RequestHandler(open: open, control: control, answers: answers, wording: wording)
        work = Task { [notices = watch.notices] in
            let (line, continuation) = AsyncStream<ControlWatch.Notice>.makeStream()
            await withDiscardingTaskGroup { group in
                group.addTask { for await item in line { await handler.handle(item) } }
                for await item in notices {
                    // A logout never waits for other requests.
                    switch item {
                    case .session, .request(_, .loggedOut): group.addTask { await handler.handle(item) }
                    case .request: continuation.yield(item)
                    }
                }
                continuation.finish()
            }
        }
    }

    /// Stops listening once every request has its answer.
    func close() async {
        watch.stop()
        await work.value
        answers.close()
    }

    /// Handles requests: changes of downloads one after the other, logouts at once.
    private struct RequestHandler: Sendable {
        let open: RunResources
        let control: RunControl
        let answers: DownloadStore
        let wording: @Sendable (Refusal) -> String

        func handle(_ notice: ControlWatch.Notice) async {
            switch notice {
            case .session(let session):
                control.note(session)
                if session.isOpen { control.wake(.session) }
            case .request(let id, let request):
                // Who has given up was told that nothing has changed.
                if request != .loggedOut, !answer(id, .working) { return }
                let answer: ControlAnswer
                do {
                    answer = try await perform(request)
                } catch {
                    answer = .failed(wording(Refusal(any: error)))
                }
                self.answer(id, answer)
            }
        }

        /// Sends an answer; if that fails, the requester times out. Returns false if nobody waits for it.
        @discardableResult
        private func answer(_ id: RequestID, _ answer: ControlAnswer) -> Bool {
            guard let text = try? JSONEncoder().encode(answer) else { return true }
            return (try? answers.requests.answer(id, String(decoding: text, as: UTF8.self))) ?? true
        }

        private func perform(_ request: ControlRequest?) async throws -> ControlAnswer {
            guard let request else { throw Refusal.run(.unknownRequest) }
            if request == .loggedOut {
                control.interruptPass(.logout)
                await control.idle()
                return .done
            }
            // Before its first turn and after the last one a pass relies on rows that no other process may change.
            var over: RunControl.Pass?
            while let pass = await control.enter(after: over) {
                if let answer = try await perform(request, through: pass) { return answer }
                over = pass
            }
            defer { control.leave() }
            return try await perform(request)
        }

        /// While downloads have their turns; nil if the last one is over.
        private func perform(
            _ request: ControlRequest, through pass: RunControl.Pass
        ) async throws -> ControlAnswer? {
            let dispatcher = pass.dispatcher
            switch request {
            case .steer(let transition, let ids):
                return try await dispatcher.steer(transition, ids).map(ControlAnswer.steered)
            case .prioritize(let newPriority, let ids):
                return try await dispatcher.prioritize(newPriority, ids).map(ControlAnswer.steered)
            case .set(let settings): return try await change(settings, pass)
            case .providerLoggedOut(let provider): await dispatcher.providerLoggedOut(provider)
            case .providerLoggedIn(let provider):
                if try await !dispatcher.providerLoggedIn(provider) { return nil }
            case .loggedOut: break
            }
            return .done
        }

        /// While no pass is running, and none begins.
        private func perform(_ request: ControlRequest) async throws -> ControlAnswer {
            switch request {
            case .steer(let transition, let ids):
                return .steered(try await steer(transition, ids))
            case .prioritize(let newPriority, let ids):
                return .steered(try await steering(nil).prioritize(newPriority, ids).outcomes)
            case .set(let settings): return try await change(settings, nil)
            // The next pass begins now, and finds them waiting.
            case .providerLoggedIn: control.wake(.asked)
            case .providerLoggedOut, .loggedOut: break
            }
            return .done
        }

        /// Changes the run's settings; in a watching run for later passes, too.
        private func change(
            _ settings: RunSettings, _ pass: RunControl.Pass?
        ) async throws(Refusal) -> ControlAnswer {
            if let text = settings.bandwidth {
                guard let timetable = BandwidthTimetable(text) else { throw .run(.badBandwidth(text)) }
                control.limits?.setBandwidth(timetable)
            }
            if let rate = settings.limitRate {
                control.adjustable.limitRate = rate == 0 ? nil : rate
                pass?.services.engine.setLimitRate(control.adjustable.limitRate)
            }
            if let jobs = settings.jobs {
                let jobs = settings.jobsAuto == true ? .automatic : JobCount.fixed(jobs)
                control.adjustable.jobs = jobs
                await pass?.dispatcher.setJobs(jobs)
            }
            return .done
        }

        private func steer(_ transition: StateTransition, _ ids: [DownloadID]) async throws -> [SteeringOutcome] {
            let result: Steering.Result
            // Unfinished downloads can be cancelled without the library: the next start deletes their partials.
            if transition == .remove || (transition == .cancel && open.library.isThere) {
                result = try await open.library.use { try await steering($0).apply(transition, to: ids) }
            } else {
                result = try await steering(nil).apply(transition, to: ids)
            }
            if result.changed.contains(where: { $0.record.state == .waiting }) { control.wake(.asked) }
            return result.outcomes
        }

        private func steering(_ library: LibraryFolder?) -> Steering {
            Steering(store: open.store, library: library) { changes in
                try open.store.write(changes)
                return true
            }
        }
    }
}
