import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import ProviderKit
import SystemPackage
import TextFormats

/// Bytes that another program has downloaded: nothing but their place, number and time is known, so the server is asked
/// for some of them again before they are continued, or are the video.
extension FileDownload {
    /// Proves that the partial's bytes are of the server's present version, by the time since when it has that, or by a
    /// SHA-256 that decides at the end; and that they are its bytes, by samples of the beginning, the middle and the
    /// end, all from responses with the same validators, and with the size that the other program knew, if it knew one.
    ///
    /// Nil if all of that is so, and more is to be transferred: the responses' validators are those of the partial from
    /// now on. Otherwise the bytes are all there, or are dropped, or the requests have failed and are made again later.
    func prove(_ foreign: ForeignBytes, in partial: PartialFile, _ attempt: inout Attempt) async -> AttemptEnd? {
        // One request is all that such a URL is good for.
        if attempt.answer.resolution.singleUse { return .follows(.startOver, nil) }
        var proof: ResponseHead?
        for sample in Self.samples(of: partial.length) {
            let isFresh = attempt.answer.uses == 0
            attempt.answer.use()
            attempt.began = context.services.clock.now
            let buffer = BodyBuffer()
            let request = attempt.answer.request(
                start: .range(sample), expectedSize: nil, limitRate: context.services.adjustable.limitRate)
            var report = await context.services.engine.fetch(request, into: buffer)
            attempt.received += report.received
            if let head = report.head { context.note(head) }
            guard report.failure == nil, let head = report.head else {
                report.received = 0
                report.length = partial.length
                let url = report.url ?? attempt.answer.resolution.url
                let action = attempt.policy.next(
                    after: report, at: url, startedAt: partial.length, isFresh: isFresh,
                    isExpired: attempt.answer.isExpired(at: context.services.clock.now), hasChecksum: false,
                    jitter: .random(in: 0...1))
                return await end(action, partial, after: report, at: url, &attempt)
            }
            let bytes = buffer.take()
            let held: [UInt8]
            do throws(FileError) {
                held = try partial.bytes(at: sample.lowerBound, count: sample.count)
            } catch { return .over(.failed(.partialKept(error))) }
            guard foreign.mayBe(of: head) ?? (target.expectedSHA256(attempt.answer) != nil),
                bytes.elementsEqual(held), attempt.policy.total.map({ $0 == head.total }) ?? true,
                proof.map({ $0.etag == head.etag && $0.lastModified == head.lastModified && $0.total == head.total })
                    ?? true,
                // The end decides, and padding looks the same in all files.
                sample.upperBound < partial.length || held.contains(where: { $0 != held.first })
            else { return .follows(.startOver, nil) }
            proof = head
        }
        guard let proof else { return .follows(.startOver, nil) }
        attempt.policy.accepted(proof, startedAt: 0)
        // A file that is shared stays another program's until it is copied, or in place.
        if isShared {
            noteProven(attempt.policy, isVersion: false)
            if proof.total == partial.length { return complete(partial, nil, attempt) }
            if let end = await makeOwn(partial, of: foreign, attempt) { return end }
        }
        noteProven(attempt.policy, isVersion: foreign.mayBe(of: proof) == true)
        return nil
    }

    /// The samples of a partial of this length, in order: 64 KiB each of its beginning and its middle, and its last
    /// MiB.
    static func samples(of length: Int64) -> [Range<Int64>] {
        let end = max(0, length - (1 << 20))..<length
        let some: Int64 = 64 << 10
        guard end.lowerBound >= 4 * some else { return end.lowerBound > 0 ? [0..<end.lowerBound, end] : [end] }
        let middle = (end.lowerBound - some) / 2
        return [0..<some, middle..<middle + some, end]
    }

    /// The partial if it is another program's file, too, in its whole length; nil if it is to be opened as any other.
    /// One that has grown in the meantime is copied.
    func openShared(_ name: PartialName, _ length: Int64) throws -> OpenPartial? {
        let partials = context.services.library.partials
        guard isForeign, let facts = try partials.facts(of: name), facts.links > 1,
            facts.size == length
        else { return nil }
        return try partials.openToRead(name, size: length)
    }

    /// Makes the partial a file of its own, since it is to be continued. Nil to go on at once.
    private func makeOwn(_ partial: PartialFile, of foreign: ForeignBytes, _ attempt: Attempt) async -> AttemptEnd? {
        let services = context.services
        let (name, length) = (target.name, partial.length)
        func facts(_ bytes: Int64) -> ProgressFacts {
            ProgressFacts(
                bytes: bytes, total: nil, validators: Validators(), position: bytes > 0 ? foreign.position : nil)
        }
        do {
            guard let open = try services.library.partials.openToRead(name, size: length) else {
                throw FileError.replaced
            }
            forgetShared()
            // A kill would leave less than the row claims.
            guard await services.bookkeeper.commit(target.record(facts(0))) else { return .over(.stopped) }
            let result = await Blocking.run { shouldStop in
                Result {
                    try services.library.imports.copy(
                        [Imports.Piece(open.descriptor.rawValue, length: length)], as: name, shouldStop: shouldStop,
                        copied: { _ in })
                }
            }
            guard try result.get().size == length else { throw FileError.replaced }
            guard await services.bookkeeper.commit(target.record(facts(length))) else {
                return .over(.stopped)
            }
            _ = try await openPartial(attempt.answer, length: length)
            return nil
        } catch {
            if case .stopped? = error as? LibraryError { return .over(.stopped) }
            return .over(.cannotOpenPartial(error, in: services.library))
        }
    }
}

extension ForeignBytes {
    /// Whether the bytes can be of the version that a response is of; nil if the response doesn't tell.
    fileprivate func mayBe(of head: ResponseHead) -> Bool? {
        let now = Int64(head.receivedAt.timeIntervalSince1970)
        guard let text = head.lastModified, let modified = HTTPDate.seconds(text, now: now) else { return nil }
        return areOf(modified: modified, lag: head.originDate.map { head.receivedAt.timeIntervalSince($0) } ?? 0)
    }
}
