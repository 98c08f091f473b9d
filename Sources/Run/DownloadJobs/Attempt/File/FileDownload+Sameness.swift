import Crypto
import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunSchedule

extension FileDownload {
    /// Proven by the same request, or by the same strong entity tag and size with equal bytes in the middle.
    func hasBytes(of donor: Donor, _ attempt: inout Attempt) async -> Bool {
        attempt.seen.size = attempt.answer.resolution.size
        if let size = attempt.seen.size, size != donor.file.size { return false }
        if donor.request == attempt.answer.identity { return true }
        guard case .etag(let tag)? = donor.file.proof else { return false }
        return await hasTag(tag, donor, &attempt)
    }

    /// Requests some bytes from the middle of the file: an entity tag is unique to its URL only, and many servers make
    /// it only of time and size.
    private func hasTag(_ tag: String, _ donor: Donor, _ attempt: inout Attempt) async -> Bool {
        guard donor.file.size > 0 else { return false }
        let services = context.services
        let sample = Self.sample(of: donor.file.size)
        let bytes = await Blocking.run { _ in
            try? services.library.files.bytes(of: donor.file.path, record: FileRecord(donor.file), sample)
        }
        guard let bytes else { return false }
        if attempt.answer.resolution.singleUse { attempt.answer.use() }
        let request = attempt.answer.request(
            start: .range(sample), expectedSize: nil, limitRate: services.adjustable.limitRate)
        let buffer = BodyBuffer()
        let report = await services.engine.fetch(request, into: buffer)
        attempt.received += report.received
        attempt.seen.isAsked = true
        guard let head = report.head else { return false }
        context.note(head)
        let middle = report.failure == nil && head.total == donor.file.size ? buffer.take() : nil
        attempt.seen.note(head, middle: middle)
        return head.etag == tag && middle == bytes
    }

    /// Of a file that has come whole, perhaps from another URL: whether it is what the answer leads to now. That is so
    /// by its SHA-256, if that is known, which is compared later; else if the server has a file with the same validator
    /// (if it gives one), the same size, and the same bytes in its middle. Nil if bytes are missing.
    func proveWhole(_ attempt: inout Attempt) async -> AttemptEnd? {
        guard let partial = try? await openPartial(attempt.answer), partial.length > 0, !isForeign,
            partial.extents.beyond.isEmpty, partial.length == attempt.policy.total
        else { return nil }
        if target.expectedSHA256(attempt.answer) != nil { return complete(partial, nil, attempt) }
        let sample = Self.sample(of: partial.length)
        let services = context.services
        let isFresh = attempt.answer.uses == 0
        attempt.answer.use()
        let buffer = BodyBuffer()
        let request = attempt.answer.request(
            start: .range(sample), expectedSize: nil, limitRate: services.adjustable.limitRate)
        let report = await services.engine.fetch(request, into: buffer)
        attempt.received += report.received
        if let head = report.head { context.note(head) }
        let url = report.url ?? attempt.answer.resolution.url
        if report.failure == nil, let head = report.head {
            let known = attempt.policy.validators
            // Of a server without validators the bytes alone decide.
            let isValid =
                known.etag.map { $0 == head.etag } ?? known.lastModified.map { $0 == head.lastModified }
                ?? (head.etag == nil && head.lastModified == nil)
            let bytes = try? partial.bytes(at: sample.lowerBound, count: sample.count)
            guard isValid, head.total == partial.length, bytes == buffer.take() else {
                return .follows(.startOver, .otherVersion(status: nil))
            }
            return complete(partial, report, attempt)
        }
        let action = attempt.policy.next(
            after: report, at: url, startedAt: partial.length, isFresh: isFresh,
            isExpired: attempt.answer.isExpired(at: services.clock.now), hasChecksum: false,
            jitter: .random(in: 0...1))
        return await end(action, partial, after: report, at: url, &attempt)
    }

    /// A few bytes from a part that distinguishes files of one format and size: not from their headers or ends.
    private static func sample(of size: Int64) -> Range<Int64> {
        let count = min(size, 65_536)
        let start = (size - count) / 2
        return start..<start + count
    }
}

extension SeenFile {
    /// Notes the response to a request for the middle of a file of perhaps another size.
    ///
    /// - Parameter middle: its bytes; nil if it isn't the middle.
    fileprivate mutating func note(_ head: ResponseHead, middle: [UInt8]?) {
        switch head.status {
        case 206:
            size = head.total ?? size
            let etag = head.total == nil ? nil : head.etag
            response = Response(etag: etag, middle: middle.map { Checksum(SHA256.hash(data: $0)) })
        // The middle is beyond its end.
        case 416: size = head.total ?? size
        // A server that sends the whole file proves nothing.
        case 200: response = Response(etag: nil)
        default: break
        }
    }
}
