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
        if let size = attempt.answer.resolution.size, size != donor.file.size { return false }
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
        guard let head = report.head else { return false }
        context.note(head)
        return report.failure == nil && head.etag == tag && head.total == donor.file.size && buffer.take() == bytes
    }

    /// A few bytes from a part that distinguishes files of one format and size: not from their headers or ends.
    private static func sample(of size: Int64) -> Range<Int64> {
        let count = min(size, 65_536)
        let start = (size - count) / 2
        return start..<start + count
    }
}
