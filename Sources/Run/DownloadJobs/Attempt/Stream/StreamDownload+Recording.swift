import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import HLSMedia
import MediaTransfer
import SyncFacts

/// Streams that are still live: their playlists are read again and again, and what they add is appended.
extension StreamDownload {
    /// A stream that hasn't grown for so long, in seconds, has ended without saying so.
    static let mostIdle = 3_600.0
    /// For so long, in seconds, a server may be silent, or refuse a playlist, before the download waits as any other.
    private static let mostSilent = 300.0
    /// For so long, in seconds, a segment may be refused before the provider is asked again, and before it is left out;
    /// and so long what nobody has watched is watched before it is over.
    private static let mostRefused = (ofAnswer: 5.0, inAll: 30.0)

    /// What is known of the requests of one attempt.
    private struct HostContact {
        let began: Date
        /// When its host last answered as it should.
        var lastAnswer: Date
        /// Whether nothing has been had with the provider's answer yet.
        var isFresh: Bool
        /// What was joined before.
        let before: Int64
    }

    /// Records until the end mark, or as long as the answer and the host allow.
    func record(
        _ source: StreamSource, _ access: StreamAccess, isFresh: Bool, failed: FailedURL, _ attempt: inout Attempt
    ) async -> AttemptEnd {
        var recording: StreamRecording
        switch openRecording(source) {
        case .opened(let opened): recording = opened
        case .another(let error):
            // Of other tracks: they can't follow what was recorded.
            if let end = await finishRecorded(at: .otherMedia) { return end }
            return .follows(attempt.policy.beganAnother(), error)
        case .outcome(let outcome): return .over(outcome)
        }
        if let end = whyOver(recording, source) {
            return await finish(recording, source, with: access, because: end, failed: failed, &attempt)
        }
        tell(source)
        context.services.events.post(.downloadStarted(context.wanted.reference, resumeFrom: recording.bytes))
        let now = context.services.clock.now
        var contact = HostContact(began: now, lastAnswer: now, isFresh: isFresh, before: recording.bytes)
        var lists: [StreamPlan?] = source.tracks
        while true {
            let (began, before) = (ContinuousClock.now, recording.received)
            let anew = await recording.tracksAnew(lists, access)
            switch await outlook(of: recording, with: lists[0], isAnew: anew.contains(0), access) {
            case .goesOn: break
            case .isReplaced: return .follows(attempt.policy.beganAnother(), .recordingReplaced)
            case .isOver:
                return await finish(recording, source, with: access, because: .another, failed: failed, &attempt)
            }
            var failure: (failure: StreamFailure, track: Int)?
            var hasGrown = false
            do throws(FileError) {
                hasGrown = try await take(lists, anew: anew, into: &recording)
                failure = await recording.append(access)
            } catch { failure = (.file(error), 0) }
            keep(recording)
            attempt.received += recording.received - before
            if Task.isCancelled { return .over(.stopped) }
            if let failure {
                if let end = await end(
                    after: failure, of: &recording, with: access, at: failed, contact, &attempt)
                {
                    return end
                }
            } else if !recording.isLive, recording.isJoined {
                return await finish(recording, source, with: access, because: nil, failed: failed, &attempt)
            }
            if let end = limit(of: recording, contact) {
                return await finish(recording, source, with: access, because: end, failed: failed, &attempt)
            }
            let pause = recording.pause(hasGrown: hasGrown)
            guard (try? await Task.sleep(until: began + pause, clock: .continuous)) != nil else {
                return .over(.stopped)
            }
            switch await reload(source, &recording, access) {
            case .success(let newest):
                lists = newest
                (contact.lastAnswer, contact.isFresh) = (context.services.clock.now, false)
            case .failure(let problem):
                lists = lists.map { _ in nil }
                if let end = end(after: problem, of: recording, at: failed, contact, &attempt) { return end }
            }
        }
    }

    /// What a new playlist means for a recording.
    private enum Outlook {
        case goesOn
        /// The playlist has all of it, and what it lacks.
        case isReplaced
        /// The playlist is another stream's.
        case isOver
    }

    private func outlook(
        of recording: StreamRecording, with list: StreamPlan?, isAnew: Bool, _ access: StreamAccess
    ) async -> Outlook {
        guard let list else { return .goesOn }
        let track = recording.tracks[0]
        if track.isReplaced(by: list, isAnew: isAnew), await recording.isThere(list, access) { return .isReplaced }
        return track.isForeign(list, isAnew: isAnew, idle: recording.idle) ? .isOver : .goesOn
    }

    // MARK: playlists that don't come

    /// Reads the playlists. Those of a stream that is being recorded may be away or wrong for a while, as when its
    /// encoder starts anew: an answer of the provider's that was just given isn't blamed at once.
    func loadPatiently(
        isFresh: Bool, _ access: StreamAccess, _ attempt: inout Attempt
    ) async -> Result<StreamSource, StreamSource.Problem> {
        let began = context.services.clock.now
        while true {
            let result = await load(&attempt, access)
            guard case .failure(let problem) = result, isRecording else { return result }
            if case .failure(let failure) = problem, failure.verdict != .resolveAgain || !isFresh { return result }
            let limit = isStale(after: problem) ? Self.mostRefused.inAll : Self.mostSilent
            guard context.services.clock.now.timeIntervalSince(began) < limit, problem != .refusal(.empty),
                (try? await Task.sleep(for: .seconds(2))) != nil
            else { return result }
        }
    }

    /// Whether what was recorded is all that there will be.
    func isStale(after problem: StreamSource.Problem) -> Bool {
        if isRecording, problem == .refusal(.empty) { return true }
        guard isIdle else { return false }
        return switch problem {
        case .failure(let failure): failure.verdict == .resolveAgain || failure.verdict == .final
        case .playlist, .presentation, .refusal: true
        }
    }

    // MARK: without its host

    /// What is in the way of a recording.
    enum Obstacle {
        /// Nothing yet: the catalog is asked.
        case none
        /// The provider says that there is none.
        case provider
        /// It names another kind of media, or other tracks.
        case otherMedia
        /// The playlist is gone, or has ended without segments.
        case playlist(hasEnded: Bool)
    }

    /// Makes a file of what was recorded, if that is all that there will be. Nil to go on.
    func finishRecorded(at obstacle: Obstacle) async -> AttemptEnd? {
        guard isRecording, isOver(at: obstacle) else { return nil }
        switch openRecording(nil) {
        case .opened(let recording):
            guard recording.bytes > 0 else { return nil }
            if let reason = reason(at: obstacle) { context.warn(.recordingEnded(reason)) }
            return await made(of: recording, nil, .init(), answer: nil)
        case .another: return nil
        case .outcome(let outcome): return .over(outcome)
        }
    }

    private func isOver(at obstacle: Obstacle) -> Bool {
        switch obstacle {
        case .none: recordedSource != StreamRecording.text(of: context.wanted.source)
        case .provider: context.wanted.video.settings.live != .record || isIdle
        case .otherMedia, .playlist: true
        }
    }

    /// Nil for a stream that has its own end.
    private func reason(at obstacle: Obstacle) -> SyncWarning.Stream.RecordingEnd? {
        switch obstacle {
        case .none, .otherMedia: .changed
        case .provider: context.wanted.video.settings.live == .record ? .gone : .notWanted
        case .playlist(let hasEnded): hasEnded ? nil : .gone
        }
    }

    /// Whether it hasn't grown for an hour.
    private var isIdle: Bool {
        grownAt.map { context.services.clock.now.timeIntervalSince($0) > Self.mostIdle } ?? false
    }

    // MARK: steps

    /// Nil to go on.
    private func whyOver(_ recording: StreamRecording, _ source: StreamSource) -> SyncWarning.Stream.RecordingEnd? {
        guard recording.bytes > 0, source.isLive else { return nil }
        if context.wanted.video.settings.live != .record { return .notWanted }
        guard recording.idle > Self.mostIdle else { return nil }
        let (track, list) = (recording.tracks[0], source.tracks[0])
        // While nobody recorded it, the same stream has gone on for as long.
        let missing = track.secondsMissing(before: list)
        let isAnother = track.isAnother(list) || (missing > 0 && !(0.5...1.5).contains(missing / recording.idle))
        return isAnother ? .another : nil
    }

    /// Takes new playlists, and tells what is missing. Returns whether they have new segments.
    private func take(
        _ lists: [StreamPlan?], anew: Set<Int>, into recording: inout StreamRecording
    ) async throws(FileError) -> Bool {
        let (seconds, isBegun) = (recording.seconds, recording.joinedCount > 0)
        let news = try await recording.take(lists, anew: anew)
        keep(recording)
        if news.missed > 0 { context.warn(.missed(news.missed, after: seconds)) }
        if news.isRenumbered, isBegun { context.warn(.renumbered(after: seconds)) }
        return news.added > 0
    }

    private func limit(of recording: StreamRecording, _ contact: HostContact) -> SyncWarning.Stream.RecordingEnd? {
        if recording.bytes >= context.sizeLimit.unknown { return .tooLarge }
        if recording.joinedCount >= PlaylistLimit.segments { return .tooLong }
        // What nobody watched may go on in a moment, and what has been named is still to come.
        let isWatched = context.services.clock.now.timeIntervalSince(contact.began) > Self.mostRefused.inAll
        return isIdle && isWatched && recording.isJoined && recording.bytes > 0 ? .stalled : nil
    }

    /// The newest playlists of the tracks that haven't ended.
    private func reload(
        _ source: StreamSource, _ recording: inout StreamRecording, _ access: StreamAccess
    ) async -> Result<[StreamPlan?], StreamSource.Problem> {
        guard access.isUsable() else { return .failure(.failure(.expired)) }
        var lists: [StreamPlan?] = []
        for (number, track) in recording.tracks.enumerated() {
            guard track.plan.isLive else {
                lists.append(nil)
                continue
            }
            switch await source.reload(number, access: access) {
            case .success(let list): lists.append(list)
            case .failure(.refusal(.notReady)): lists.append(nil)
            case .failure(.refusal(.empty)):
                recording.end(number)
                lists.append(nil)
            case .failure(let problem): return .failure(problem)
            }
        }
        return .success(lists)
    }

    /// After a failure of a segment. Nil to go on: a playlist that is read again may not have it any more.
    private func end(
        after reason: (failure: StreamFailure, track: Int), of recording: inout StreamRecording,
        with access: StreamAccess, at failed: FailedURL, _ contact: HostContact, _ attempt: inout Attempt
    ) async -> AttemptEnd? {
        let failure = reason.failure
        if isPatient(failure, contact) { return nil }
        if let index = failure.segment ?? failure.keyMark, failure.verdict == .resolveAgain, recording.bytes > 0 {
            let now = context.services.clock.now
            if recording.refused?.track != reason.track || recording.refused?.index != index {
                recording.refused = .init(track: reason.track, index: index, since: now)
                keep(recording)
            }
            let refused = now.timeIntervalSince(recording.refused?.since ?? now)
            if refused < Self.mostRefused.ofAnswer { return nil }
            if recording.refused?.isAskedAgain == true {
                if refused < Self.mostRefused.inAll || (index < 0 && refused < Self.mostSilent) { return nil }
                guard index >= 0 else {
                    return .over(.notReady(DownloadError(failure, at: failed.url), retryAfter: .seconds(60)))
                }
                // Neither newer playlists nor another answer of the provider have helped.
                do throws(FileError) {
                    try await recording.skip(index, of: reason.track)
                    context.warn(.missed(1, after: recording.seconds))
                    keep(recording)
                    return nil
                } catch { return end(after: .file(error), joined: 0, isFresh: false, at: failed, &attempt) }
            }
            recording.refused?.isAskedAgain = true
            keep(recording)
        }
        // Media that can't follow what is there.
        if failure.verdict == .final, recording.bytes > 0 {
            let end = SyncWarning.Stream.RecordingEnd.unjoinable(DownloadError(failure, at: failed.url))
            return await finish(recording, nil, with: access, because: end, failed: failed, &attempt)
        }
        return end(
            after: failure, joined: recording.bytes - contact.before, isFresh: contact.isFresh, at: failed, &attempt)
    }

    /// After a failure of a playlist. Nil to go on.
    private func end(
        after problem: StreamSource.Problem, of recording: StreamRecording, at failed: FailedURL,
        _ contact: HostContact,
        _ attempt: inout Attempt
    ) -> AttemptEnd? {
        switch problem {
        case .failure(let failure):
            if isPatient(failure, contact) { return nil }
            return end(
                after: failure, joined: recording.bytes - contact.before, isFresh: contact.isFresh, at: failed,
                &attempt)
        // As of a list that is being written, or of one with an advertisement for other players.
        case .playlist, .presentation: return recording.bytes > 0 ? nil : .over(.failed(DownloadError(problem)))
        case .refusal(let refusal): return recording.bytes > 0 ? nil : .over(refusal.outcome)
        }
    }

    /// Whether the host may answer differently in a moment. One that refuses a playlist may do so since the answer has
    /// expired, which the provider is asked first.
    private func isPatient(_ failure: StreamFailure, _ contact: HostContact) -> Bool {
        let silent = context.services.clock.now.timeIntervalSince(contact.lastAnswer)
        return switch failure.verdict {
        case .retry, .retryOnce: silent < Self.mostSilent
        default: false
        }
    }

    /// Makes a file of what was recorded.
    private func finish(
        _ recording: StreamRecording, _ source: StreamSource?, with access: StreamAccess,
        because reason: SyncWarning.Stream.RecordingEnd?, failed: FailedURL, _ attempt: inout Attempt
    ) async -> AttemptEnd {
        keep(recording)
        if let reason { context.warn(.recordingEnded(reason)) }
        var subtitles = StreamSubtitles()
        let whole = recording.ended(source)
        if let end = await fetch(&subtitles, of: whole, recording.work, with: access, at: failed, &attempt) {
            return end
        }
        return await made(of: recording, source, subtitles, answer: attempt.answer)
    }

    private func made(
        of recording: StreamRecording, _ source: StreamSource?, _ subtitles: StreamSubtitles, answer: ResolvedMedia?
    ) async -> AttemptEnd {
        context.tellGaps(recording.tracks[0].hostGaps, subtitle: nil)
        // What can't be had again isn't begun anew.
        if let error = await flushJoined() { return .over(.cannotWrite(error)) }
        // Without proof or request: the same address may have another lecture tomorrow.
        let finish = StreamFinish(context: context, answer: answer, isHashed: false)
        do throws(JoinedStream.Problem) {
            return await finish.run(try finish.joined(recording.ended(source), recording.work, subtitles))
        } catch { return .over(error.outcome) }
    }
}

extension StreamSource.Problem {
    /// Whether the provider may have another answer.
    var isOfAnswer: Bool {
        guard case .failure = self else { return false }
        return true
    }

    /// Whether the playlists of a stream that was being recorded may come back.
    var isAway: Bool {
        if case .failure(let failure) = self { return failure.verdict == .resolveAgain }
        return true
    }
}

extension StreamFailure {
    /// A number that no segment has, if it is about a key or an initialization section.
    fileprivate var keyMark: Int? {
        switch self {
        case .transfer(_, .key), .transfer(_, .initialization), .notMedia(.key), .notMedia(.initialization): -1
        default: nil
        }
    }

    /// The index of the segment that it is about.
    fileprivate var segment: Int? {
        switch self {
        case .transfer(_, .segment(let index)), .cut(.segment(let index)), .encrypted(.segment(let index)),
            .notMedia(.segment(let index)):
            index
        default: nil
        }
    }
}
