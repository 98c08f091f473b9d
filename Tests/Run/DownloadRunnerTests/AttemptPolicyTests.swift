import DownloadStore
import FileSystem
import Foundation
import MediaTransfer
import Testing

@testable import DownloadJobs
@testable import SyncFacts

@Suite("The next step of a download")
struct AttemptPolicyTests {
    private let size: Int64 = 100 << 20

    private func report(_ failure: TransferFailure?, received: Int64 = 0, length: Int64 = 0) -> TransferReport {
        TransferReport(head: nil, received: received, length: length, failure: failure, seconds: 1)
    }

    private func record(
        etag: String? = "\"a\"", lastModified: String? = nil, validatorFailures: Int = 0, startOvers: Int = 0,
        givesUpRanges: Bool = false
    ) throws -> ResumeRecord {
        let store = try DownloadStore.empty()
        var changes = ReconcileChanges()
        let id = DownloadID(rawValue: 1)
        changes.new = [
            .init(
                id: id, key: DownloadKey(course: "c", video: "v"),
                fields: CatalogFields(
                    chapter: nil, title: "T", position: 1, ordinal: 0, provider: "p", source: [], priority: 0,
                    extras: nil, stem: "T", expectedSize: nil, expectedSHA256: nil))
        ]
        try store.catalogs.apply(changes)
        let validators = Validators(etag: etag, lastModified: lastModified)
        try store.write([
            .startOver(
                id, validatorFailures: validatorFailures, startOvers: startOvers, givesUpRanges: givesUpRanges),
            .progress(id, ProgressFacts(bytes: 10 << 20, total: size, validators: validators)),
        ])
        return ResumeRecord(try #require(try store.downloads.record(id)))
    }

    private func next(
        _ policy: inout AttemptPolicy, _ report: TransferReport, startedAt offset: Int64 = 0, isFresh: Bool = false,
        isExpired: Bool = false
    ) -> AttemptPolicy.Action {
        policy.next(
            after: report, startedAt: offset, isFresh: isFresh, isExpired: isExpired, hasChecksum: false, jitter: 0)
    }

    @Test("without bytes it begins at the beginning, whatever the row says")
    func beginning() throws {
        var policy = AttemptPolicy(retries: 10, record: try record())
        #expect(policy.start(length: 0, hasChecksum: false) == .beginning)
    }

    @Test("the media type of a partial is kept with it, and dropped with it")
    func mediaType() throws {
        var known = try record()
        known.mediaType = "video/webm"
        var policy = AttemptPolicy(retries: 10, record: known)
        _ = policy.start(length: 5, hasChecksum: false)
        #expect(policy.mediaType == "video/webm" && policy.provenTag == "\"a\"")
        _ = policy.start(length: 0, hasChecksum: false)
        #expect(policy.mediaType == nil && policy.provenTag == nil)
    }

    @Test("an ETag is the first choice, a date the second, a checksum the last, else nothing")
    func conditions() throws {
        var policy = AttemptPolicy(retries: 10, record: try record(lastModified: "d"))
        #expect(
            policy.start(length: 5, hasChecksum: true) == .resume(at: 5, total: size, condition: .etag("\"a\"")))
        policy = AttemptPolicy(retries: 10, record: try record(etag: nil, lastModified: "d"))
        #expect(
            policy.start(length: 5, hasChecksum: true) == .resume(at: 5, total: size, condition: .lastModified("d")))
        policy = AttemptPolicy(retries: 10, record: try record(etag: nil))
        #expect(policy.start(length: 5, hasChecksum: true) == .resume(at: 5, total: size, condition: .checksum))
        #expect(policy.start(length: 5, hasChecksum: false) == nil)
    }

    @Test("validators that failed twice are not used again")
    func validatorsFail() throws {
        var policy = AttemptPolicy(retries: 10, record: try record(validatorFailures: 2))
        #expect(policy.start(length: 5, hasChecksum: false) == nil)
        #expect(policy.start(length: 5, hasChecksum: true) == .resume(at: 5, total: size, condition: .checksum))
    }

    @Test("after the last attempt it waits for as long as its host or provider asked")
    func lastAttempt() {
        var policy = AttemptPolicy(retries: 1, record: nil)
        guard
            case .giveUp(let error, .seconds(7200), hostFailed: true) = next(
                &policy, report(.status(503, retryAfter: .seconds(7200))))
        else {
            Issue.record("should give up")
            return
        }
        #expect(error.status == 503)
        policy = AttemptPolicy(retries: 2, record: nil)
        let busy = report(.status(429, retryAfter: nil))
        guard case .wait(_, _, hostFailed: true) = next(&policy, busy),
            case .giveUp(_, rest: nil, hostFailed: true) = next(&policy, busy)
        else {
            Issue.record("should wait, then give up")
            return
        }
    }

    @Test("three started-over attempts, then the identity has changed for good")
    func startsOver() throws {
        var policy = AttemptPolicy(retries: 10, record: try record())
        for _ in 0..<3 {
            #expect(next(&policy, report(.rangeIgnored, length: 5), startedAt: 5) == .startOver)
            policy.startedOver()
        }
        guard case .fail(let error) = next(&policy, report(.rangeIgnored, length: 5), startedAt: 5) else {
            Issue.record("should have failed")
            return
        }
        #expect(error.kind == .identityChanged)
    }

    @Test("a server that sends the same whole file for each range is told from one whose file changes")
    func noRanges() throws {
        for (etag, message) in [("\"a\"", "can't continue"), ("\"b\"", "different version")] {
            var policy = AttemptPolicy(retries: 10, record: try record(startOvers: 3))
            var raw = RawHead(status: 200)
            _ = raw.add("etag", etag)
            var refused = report(.rangeIgnored, length: 5)
            refused.head = try ResponseHead(raw, origin: #require(Origin(url: "http://h/")), receivedAt: Date())
            guard case .fail(let error) = next(&policy, refused, startedAt: 5) else {
                Issue.record("should have failed")
                return
            }
            #expect(error.message.contains(message), "\(error.message)")
        }
    }

    @Test("a cut with progress goes on at once, without it backs off, and fails after the retries")
    func cuts() {
        var policy = AttemptPolicy(retries: 3, record: nil)
        let cut = TransferFailure.truncated(received: 5 << 20, expected: size)
        #expect(next(&policy, report(cut, received: 5 << 20, length: 5 << 20)) == .transfer)
        let stuck = report(cut, received: 10, length: 5 << 20 + 10)
        guard case .wait(_, let first, false) = next(&policy, stuck) else {
            Issue.record("should wait")
            return
        }
        #expect(first == .seconds(1))
        guard case .wait(_, .seconds(2), false) = next(&policy, stuck) else {
            Issue.record("should wait twice as long")
            return
        }
        guard case .fail(let error) = next(&policy, stuck) else {
            Issue.record("should fail")
            return
        }
        #expect(error.kind == .truncated)
    }

    @Test("progress resets the count")
    func progressResets() {
        var policy = AttemptPolicy(retries: 2, record: nil)
        let cut = TransferFailure.stalled
        var length: Int64 = 0
        for _ in 0..<5 {
            guard case .wait = next(&policy, report(cut, length: length)) else {
                Issue.record("should wait")
                return
            }
            length += 2 << 20
            #expect(next(&policy, report(cut, received: 2 << 20, length: length)) == .transfer)
        }
    }

    @Test("a fresh URL that is refused is resolved once more, then the download fails with the status")
    func freshRefusal() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        let refused = report(.refused(status: 403, .status))
        #expect(next(&policy, refused, isFresh: true) == .resolve(.rejected, status: 403))
        guard case .fail(let error) = next(&policy, refused, isFresh: true) else {
            Issue.record("should fail")
            return
        }
        #expect(error.kind == .urlRefused)
        #expect(error.status == 403)
    }

    @Test("a fresh URL refused after its expiry is an attempt with a pause, up to the limit of attempts")
    func refusedTooLate() {
        var policy = AttemptPolicy(retries: 5, record: nil)
        let refused = report(.refused(status: 403, .status))
        var delays: [Duration] = []
        for _ in 1...4 {
            guard case .wait(_, let delay, hostFailed: false) = next(&policy, refused, isFresh: true, isExpired: true)
            else {
                Issue.record("should wait")
                return
            }
            delays.append(delay)
        }
        #expect(delays == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
        guard case .fail(let error) = next(&policy, refused, isFresh: true, isExpired: true) else {
            Issue.record("should have failed")
            return
        }
        #expect(error.kind == .urlRefused && error.status == 403)
        policy = AttemptPolicy(retries: 5, record: nil)
        #expect(next(&policy, refused, isFresh: false, isExpired: true) == .resolve(.rejected, status: 403))
    }

    @Test("a URL that worked and is refused later gets three rounds, counted anew after each new byte")
    func laterRefusals() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        let refused = report(.refused(status: 410, .status), length: 5 << 20)
        for _ in 0..<4 {
            #expect(next(&policy, refused) == .resolve(.rejected, status: 410))
            #expect(
                next(&policy, report(.stalled, received: 4 << 20, length: policy.length(after: 4 << 20))) == .transfer)
        }
        #expect(next(&policy, refused) == .resolve(.rejected, status: 410))
        #expect(next(&policy, refused, isFresh: true) == .resolve(.rejected, status: 410))
        guard case .fail = next(&policy, refused, isFresh: true) else {
            Issue.record("should fail")
            return
        }
    }

    @Test("a page instead of media is not media")
    func page() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        let refused = report(.refused(status: 200, .page("text/html")))
        _ = next(&policy, refused, isFresh: true)
        guard case .fail(let error) = next(&policy, refused, isFresh: true) else {
            Issue.record("should fail")
            return
        }
        #expect(error.kind == .notMedia)
    }

    @Test("without validators a file that is always cut at the same place fails after the retries")
    func cutWithoutValidators() {
        var policy = AttemptPolicy(retries: 3, record: nil)
        let cut = report(.truncated(received: 5 << 20, expected: size), received: 5 << 20, length: 5 << 20)
        #expect(next(&policy, cut) == .transfer)
        for _ in 0..<2 {
            #expect(policy.start(length: 5 << 20, hasChecksum: false) == nil)
            #expect(policy.cannotResume() == .startOver)
            policy.startedOver()
            guard case .wait = next(&policy, cut) else {
                Issue.record("should wait")
                return
            }
        }
        guard case .fail = next(&policy, cut) else {
            Issue.record("should fail")
            return
        }
    }

    @Test("a full disk suspends; a failing disk, or one that refuses files of this size, fails the download")
    func disk() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        guard case .suspend(.disk, _) = next(&policy, report(.file(errno: ENOSPC))) else {
            Issue.record("should suspend")
            return
        }
        guard case .fail(let error) = next(&policy, report(.file(errno: EIO))) else {
            Issue.record("should fail")
            return
        }
        #expect(error.kind == .disk)
        guard case .fail(let tooLarge) = next(&policy, report(.file(errno: EFBIG))) else {
            Issue.record("should fail")
            return
        }
        #expect(tooLarge.message.contains("ulimit -f"))
    }

    @Test(
        "after three invalid partial responses the whole file is requested, once, also over several runs",
        arguments: [
            TransferFailure.badResponse(.duplicateField("content-range")), .badResponse(.compressed),
            .status(204, retryAfter: nil), .refused(status: 200, .page("text/html")),
            .refused(status: 206, .login),
        ])
    func uselessRanges(_ failure: TransferFailure) throws {
        var policy = AttemptPolicy(retries: 10, record: try record())
        var asked: AttemptPolicy.Action?
        for round in 1...3 {
            let action = next(&policy, report(failure, length: 5), startedAt: 5, isFresh: true)
            if case .askWhole = action {
                asked = action
                // A page is no good twice, the others three times.
                #expect(round >= 2)
                break
            }
        }
        try #require(asked != nil)
        policy.giveUpRanges()
        policy.startedOver()
        policy = AttemptPolicy(retries: 2, record: try record(givesUpRanges: policy.hasGivenUpRanges))
        var last: AttemptPolicy.Action?
        for _ in 1...3 { last = next(&policy, report(failure, length: 5), startedAt: 5, isFresh: true) }
        guard case .fail = last else {
            Issue.record("should fail: \(String(describing: last))")
            return
        }
    }

    @Test(
        "the whole file isn't requested after a refusal, a host in trouble, a new byte, or a response without a range")
    func usefulRanges() throws {
        for failure in [TransferFailure.refused(status: 403, .status), .status(503, retryAfter: nil), .stalled] {
            var policy = AttemptPolicy(retries: 3, record: try record())
            for _ in 1...4 {
                let action = next(&policy, report(failure, length: 5), startedAt: 5)
                if case .askWhole = action { Issue.record("\(failure)") }
            }
        }
        var policy = AttemptPolicy(retries: 10, record: try record())
        let useless = report(.badResponse(.compressed), length: 5)
        for _ in 1...6 {
            if case .askWhole = next(&policy, useless) { Issue.record("no range was asked for") }
        }
        policy = AttemptPolicy(retries: 100, record: try record())
        for _ in 1...6 {
            if case .askWhole = next(&policy, useless, startedAt: 5) { Issue.record("bytes arrived in between") }
            _ = next(&policy, report(.stalled, received: 1, length: 6), startedAt: 5)
        }
    }

    @Test("429 and an unreachable host affect the whole host")
    func host() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        guard case .wait(let error, .seconds(30), true) = next(&policy, report(.status(429, retryAfter: .seconds(30))))
        else {
            Issue.record("should wait as long as asked")
            return
        }
        #expect(error.status == 429)
    }

    @Test("a wrong checksum starts over once, in one piece")
    func checksum() throws {
        var policy = AttemptPolicy(retries: 10, record: try record())
        let error = DownloadError(kind: .checksumMismatch, message: "no")
        #expect(policy.maySplit)
        #expect(policy.verificationFailed(error) == .startOver)
        #expect(!policy.maySplit, "that is over one connection")
        policy.startedOver()
        #expect(policy.start(length: 5, hasChecksum: true) == nil)
        #expect(policy.verificationFailed(error) == .fail(error))
    }

    @Test("the rest after a partial response is requested at once, but not endlessly from a host that sends crumbs")
    func parts() {
        var policy = AttemptPolicy(retries: 3, record: nil)
        for index in 1...200 {
            let part = report(.partOnly, received: 2 << 20, length: Int64(index) * 2 << 20)
            #expect(next(&policy, part, startedAt: 5) == .transfer)
        }
        var asked = 0
        while case .transfer = next(&policy, report(.partOnly, received: 1, length: 400 << 20 + Int64(asked))) {
            asked += 1
            guard asked < 1000 else { break }
        }
        #expect(asked == 64)
        guard case .wait = next(&policy, report(.partOnly, received: 1, length: 401 << 20)) else {
            Issue.record("should wait")
            return
        }
    }

    @Test("a chunked body that ended properly is complete; one that ends with the connection only with a checksum")
    func lengths() {
        var policy = AttemptPolicy(retries: 10, record: nil)
        #expect(next(&policy, report(.lengthUnknown(framed: true), received: 5, length: 5)) == .verify)
        guard case .fail = next(&policy, report(.lengthUnknown(framed: false), received: 5, length: 5)) else {
            Issue.record("should fail")
            return
        }
    }
}

extension AttemptPolicy {
    /// For the tests: a length that is progress.
    fileprivate func length(after step: Int64) -> Int64 { highWater + step }
}
