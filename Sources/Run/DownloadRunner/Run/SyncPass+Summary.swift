import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import Logging
import ProviderKit
import RunSchedule
import SyncFacts

/// What a pass reports at its end.
extension SyncPass {
    static func summary(
        _ plan: Reconciliation, _ result: Dispatcher.Result, _ broken: [(name: String, reason: String)],
        stopReason: SuspendReason?
    ) -> SyncSummary {
        var summary = SyncSummary()
        summary.downloads = plan.counts
        summary.stopReason = stopReason ?? result.stopReason
        // A window or a quota may have ended when nothing was left to do.
        var isWorkLeft = stopReason.map { !$0.isBound } ?? false || result.tally.hasSidecarsLeft
        for wanted in plan.wanted {
            let state = result.states[wanted.id] ?? .waiting
            summary.downloads[.waiting, default: 0] -= 1
            summary.downloads[state, default: 0] += 1
            let isNotReady = state == .waiting && wanted.isNotReady && result.states[wanted.id] == nil
            let isOver =
                !state.isOpen || isNotReady
                || result.tally.notReady.contains(wanted.id)
            if !isOver, !result.tally.awaitingLogin.contains(wanted.id) { isWorkLeft = true }
        }
        for (id, steered) in result.tally.steered {
            let state = result.states[id] ?? steered.last
            summary.downloads[steered.first, default: 0] -= 1
            summary.downloads[state, default: 0] += 1
            if state.isOpen, !result.tally.notReady.contains(id) { isWorkLeft = true }
        }
        summary.downloads = summary.downloads.filter { $0.value > 0 }
        summary.finishedNow = result.tally.finished
        summary.failedNow = result.tally.failed
        summary.bytes = result.received
        summary.answers = result.tally.answers
        summary.answersExpired = result.tally.expiredAnswers
        summary.failures = result.failures
        summary.failedAt = result.tally.failedAt
        summary.fromOtherSource = plan.fromOtherSource
        summary.providersToLogIn = result.tally.providersToLogIn.sorted()
        summary.loginsNeeded = result.tally.loginsNeeded.map { RequiredLogin(provider: $0.provider, server: $0.name) }
            .sorted()
        summary.leftAlone = result.delays.map(ServerCooldown.init)
        if isWorkLeft || plan.unmoved > 0 { summary.conditions.insert(.workLeft) }
        if summary.downloads[.failed] != nil { summary.conditions.insert(.downloadsFailed) }
        if !result.tally.providersToLogIn.isEmpty { summary.conditions.insert(.loginNeeded) }
        for (name, reason) in broken {
            summary.add(.provider(.broken(name, reason: reason)))
        }
        for error in result.storeErrors { summary.add(Refusal(error)) }
        for refusal in result.refusals { summary.add(refusal) }
        summary.movedNow = plan.movedLater
        if !plan.errors.isEmpty {
            summary.conditions.insert(.invalidCatalog)
            summary.errors += plan.errors
        }
        switch result.diskTrouble {
        // The last file has used the room that is to stay free, and none waits for any.
        case .noSpace? where !isWorkLeft: if summary.stopReason == .disk { summary.stopReason = nil }
        case let trouble?: summary.add(.run(trouble))
        case nil: break
        }
        return summary
    }

    /// Wanted sidecars are work for the next run; failed ones that will be retried are failures, as with videos. One
    /// that was given up is a failure only in the run that gave up: nothing wants it any more.
    func noteSidecars(
        _ summary: inout SyncSummary, _ catalog: Catalog, only: [Selector], _ result: Dispatcher.Result
    ) throws(StoreError) {
        if result.tally.hasGivenUpSidecars { summary.conditions.insert(.downloadsFailed) }
        for sidecar in try MissingSidecar.all(in: open.store, of: catalog, only: only) {
            switch sidecar.state {
            case .wanted:
                summary.sidecarsWanted += 1
                // It lacks a login, or its time has not come.
                let isWaiting =
                    result.tally.sidecarsAwaitingLogin.contains(sidecar.download)
                    || result.tally.notReady.contains(sidecar.download)
                if !isWaiting { summary.conditions.insert(.workLeft) }
            case .failed:
                summary.sidecarsFailed += 1
                guard sidecar.retryAt != nil else { continue }
                summary.conditions.insert(.downloadsFailed)
                if !result.tally.withFailedSidecars.contains(sidecar.download) { summary.hasOlderFailures = true }
            }
        }
    }

    /// If the disk was full: the partials of unfinished downloads, the largest first.
    func notePartials(
        _ summary: inout SyncSummary, _ plan: Reconciliation, _ result: Dispatcher.Result
    ) throws(StoreError) {
        guard result.diskTrouble != nil else { return }
        let left = plan.wanted.map(\.id).filter { result.states[$0] != .finished }
        let records = try open.store.downloads.records(left).filter { $0.durableBytes > 0 }
        summary.partials = records.sorted { ($1.heldBytes, $0.id) < ($0.heldBytes, $1.id) }.map {
            (VideoReference($0), $0.heldBytes)
        }
    }

    /// Reports what went wrong with listings, once for all courses of a provider.
    func noteListings(
        _ round: borrowing ListingRound, _ sources: CourseSourceRound, _ summary: inout SyncSummary
    ) {
        struct Trouble: Hashable {
            var provider: String
            var error: ProviderError
        }
        var failures: [Trouble: [SyncWarning.Listing.Unlisted]] = [:]
        var logins = Set(summary.loginsNeeded)
        for (course, outcome) in round.outcomes {
            switch outcome {
            case .failed(let error, let last) where error.isNotOpen(course, of: sources.catalog, last: last):
                logger.info("the course \(course.id) isn't open: \(error.message)")
            case .failed(let error, let last):
                summary.coursesUnlisted += 1
                if let login = requiredLogin(after: error, by: course) { logins.insert(login) }
                let trouble = Trouble(provider: course.settings.provider?.name ?? "", error: error)
                failures[trouble, default: []].append(.init(course: course.id, last: last, at: course.location))
            case .doubted(let lost, let count):
                summary.coursesUnlisted += 1
                summary.conditions.insert(.workLeft)
                hub.post(.warning(.listing(.doubted(course: course.id, lost: lost, of: count)), nil))
            case .unrecorded(let error): summary.add(Refusal(error))
            case .listed, .unchanged: break
            }
        }
        for (list, error, last) in sources.failures {
            summary.coursesUnlisted += 1
            let provider = list.settings.provider?.name ?? ""
            if let login = requiredLogin(after: error, by: list) { logins.insert(login) }
            summary.note(error, by: provider, courses: 1)
            hub.post(
                .warning(.courses(.failed(provider: provider, DownloadError(error), last: last)), nil))
        }
        if sources.doubted > 0 {
            summary.coursesUnlisted += sources.doubted
            summary.conditions.insert(.workLeft)
        }
        if let error = sources.unrecorded { summary.add(Refusal(error)) }
        summary.loginsNeeded = logins.map { need in
            var need = need
            if need.server.flatMap({ LoginServer(url: $0) }) != nil {
                need.parameter = LoginServer.parameter(at: need.provider, in: open.registry)
            }
            return need
        }.sorted()
        // The time was over before all had answered.
        if control.passStop != nil, sources.isCut || !round.unanswered.isEmpty {
            summary.conditions.insert(.workLeft)
        }
        // Their providers were logged out before they had answered.
        let unanswered = control.passStop == nil ? round.unanswered : []
        if !unanswered.isEmpty {
            summary.coursesUnlisted += unanswered.count
            summary.conditions.insert(.workLeft)
            hub.post(.warning(.listing(.unanswered(courses: unanswered.map(\.id))), nil))
        }
        for (trouble, courses) in failures.sorted(by: { $0.value[0].course < $1.value[0].course }) {
            summary.note(trouble.error, by: trouble.provider, courses: courses.count)
            hub.post(
                .warning(
                    .listing(.failed(provider: trouble.provider, DownloadError(trouble.error), courses: courses)), nil))
        }
    }

    /// The login that a course's provider wants; nil after another error.
    private func requiredLogin(after error: ProviderError, by course: Course) -> RequiredLogin? {
        guard error.kind == .authRequired, let provider = course.settings.provider?.name else { return nil }
        let server =
            error.serverName
            ?? LoginServer(course.settings, in: open.registry.serverParameter(of: provider))?.description
        return RequiredLogin(provider: provider, server: server)
    }
}

extension SyncSummary {
    /// A logout is the reason, whatever remains to do; only a failure to record is worse.
    mutating func noteLogout() {
        conditions = conditions.intersection([.bug, .stateUnusable]).union([.workLeft])
    }

    /// Notes that a provider couldn't list so many courses.
    fileprivate mutating func note(_ error: ProviderError, by provider: String, courses: Int) {
        if let condition = error.kind.listingCondition { conditions.insert(condition) }
        guard error.kind == .authRequired else { return }
        coursesToLogIn[provider, default: 0] += courses
        if !providersToLogIn.contains(provider) {
            providersOfCoursesOnly.insert(provider)
            providersToLogIn.append(provider)
            providersToLogIn.sort()
        }
    }
}

extension ServerCooldown {
    fileprivate init(_ delay: Delay) {
        switch delay.cause {
        case .host(let server):
            self.init(server: server, until: delay.until, seconds: delay.rest, videos: delay.downloads)
        case .provider(let server):
            self.init(
                provider: server.provider, server: server.name, until: delay.until, seconds: delay.rest,
                videos: delay.downloads)
        }
    }
}

extension SuspendReason {
    /// Whether it limits the amount of work, without saying whether some is left.
    var isBound: Bool { self == .window || self == .quota }
}
