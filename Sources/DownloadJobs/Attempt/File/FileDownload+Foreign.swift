import FileSystem
import MediaTransfer
import ProviderKit

/// Bytes that another program has downloaded: nothing but their place and number is known, so the server is asked for
/// some of them again before they are continued.
extension FileDownload {
    /// Compares samples of the partial with the server's file: its beginning, middle and end, all from responses with
    /// the same validators, and with the size that the other program knew, if it knew one.
    ///
    /// Nil if all of them are equal: the responses' validators are those of the partial from now on. Otherwise the
    /// bytes are dropped, or the requests have failed and are made again later.
    func proveForeign(_ partial: PartialFile, _ attempt: inout Attempt) async -> AttemptEnd? {
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
                return await end(action, partial, report, at: url, &attempt)
            }
            let bytes = buffer.take()
            let held: [UInt8]
            do throws(FileError) {
                held = try partial.bytes(at: sample.lowerBound, count: sample.count)
            } catch { return .over(.failed(.partialKept(error))) }
            guard bytes.elementsEqual(held), attempt.policy.total.map({ $0 == head.total }) ?? true,
                proof.map({ $0.etag == head.etag && $0.lastModified == head.lastModified && $0.total == head.total })
                    ?? true,
                // The end decides, and padding looks the same in all files.
                sample.upperBound < partial.length || held.contains(where: { $0 != held.first })
            else { return .follows(.startOver, nil) }
            proof = head
        }
        guard let proof else { return .follows(.startOver, nil) }
        attempt.policy.accepted(proof, startedAt: 0)
        noteProven(attempt.policy)
        return nil
    }

    /// The samples of a partial of this length, in order: 64 KiB each of its beginning and its middle, and its last MiB.
    static func samples(of length: Int64) -> [Range<Int64>] {
        let end = max(0, length - (1 << 20))..<length
        let some: Int64 = 64 << 10
        guard end.lowerBound >= 4 * some else { return end.lowerBound > 0 ? [0..<end.lowerBound, end] : [end] }
        let middle = (end.lowerBound - some) / 2
        return [0..<some, middle..<middle + some, end]
    }
}
