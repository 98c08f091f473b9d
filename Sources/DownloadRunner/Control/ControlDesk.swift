import DownloadStore
import Foundation
import MediaTransfer
import SystemPackage

/// Answers what other processes ask of this one, from the start of a run to its end.
struct ControlDesk: Sendable {
    private let open: OpenState
    private let control: RunControl
    private let watch: ControlWatch
    private let work: Task<Void, Never>

    /// Begins to listen.
    init(_ open: OpenState, _ control: RunControl) throws(StoreError) {
        self.open = open
        self.control = control
        watch = try ControlWatch(path: open.place.folder.database.string, session: open.session)
        let clerk = Clerk(open: open, control: control)
        work = Task { [news = watch.news] in
            await withDiscardingTaskGroup { group in
                for await item in news { group.addTask { await clerk.handle(item) } }
            }
        }
    }

    /// Stops listening, when everything that was asked has its answer.
    func close() async {
        watch.stop()
        await work.value
    }

    /// Handles one thing at a time.
    private struct Clerk: Sendable {
        let open: OpenState
        let control: RunControl

        func handle(_ news: ControlWatch.News) async {
            switch news {
            case .session(let session):
                control.note(session)
                if session.isOpen { control.ring(.session) }
            case .request(let id, let request):
                let answer: ControlAnswer
                do {
                    answer = try await perform(request)
                } catch {
                    answer = .failed(Refusal(any: error).message)
                }
                // Whoever asked sees that there is no answer.
                guard let text = try? JSONEncoder().encode(answer) else { return }
                try? open.store.answer(id, String(decoding: text, as: UTF8.self))
            }
        }

        private func perform(_ request: ControlRequest?) async throws -> ControlAnswer {
            let pass = control.pass
            switch request {
            case nil: return .failed("the sync that is running is of another version, which doesn't know this command")
            case .steer(let transition, let ids):
                return .steered(try await steer(transition, ids.map(DownloadID.init), pass))
            case .prioritize(let wish, let ids):
                let ids = ids.map(DownloadID.init)
                if let pass { return .steered(try await pass.dispatcher.prioritize(wish, ids)) }
                return .steered(try await steering.prioritize(wish, ids).outcomes)
            case .set(let settings):
                guard let pass else { return .failed("nothing is being transferred right now") }
                return try await pass.change(settings)
            case .loggedOut:
                control.interruptPass(.logout)
                await control.idle()
                return .done
            case .providerLoggedOut(let provider):
                await pass?.dispatcher.providerLoggedOut(provider)
                return .done
            case .providerLoggedIn(let provider):
                if let pass {
                    try await pass.dispatcher.providerLoggedIn(provider)
                } else {
                    control.ring(.asked)
                }
                return .done
            }
        }

        private func steer(
            _ transition: StateTransition, _ ids: [DownloadID], _ pass: RunControl.Pass?
        ) async throws -> [SteeringOutcome] {
            if let pass { return try await pass.dispatcher.steer(transition, ids) }
            let result = try await steering.apply(transition, to: ids)
            if result.changed.contains(where: { $0.record.state == .waiting }) { control.ring(.asked) }
            return result.outcomes
        }

        private var steering: Steering {
            Steering(store: open.store, library: open.library) { changes in
                try open.store.write(changes)
                return true
            }
        }
    }
}

extension RunControl.Pass {
    /// Changes what the run was started with.
    func change(_ settings: RunSettings) async throws -> ControlAnswer {
        if let rate = settings.limitRate {
            services.knobs.limitRate = rate == 0 ? nil : rate
            services.engine.setLimitRate(services.knobs.limitRate)
        }
        if let text = settings.bandwidth {
            guard let timetable = BandwidthTimetable(text) else { return .failed("“\(text)” is no bandwidth") }
            services.limits.setBandwidth(timetable)
        }
        if let jobs = settings.jobs { await dispatcher.setJobs(jobs) }
        return .done
    }
}
