import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import ProviderKit
import Synchronization

/// Bytes that the library has already are shared with another download only on proof.
extension DownloadJob {
    /// A file that may have its bytes. If that is proven nobody is asked.
    func offer(_ donor: Donor, isProven: Bool) {
        self.donor = donor
        isDonorProven = isProven
    }

    /// Makes the file out of a donor that is known to have its bytes. Nil if there is none, or it is no good any more.
    func takeProven() async -> JobOutcome? {
        guard isDonorProven, let donor else { return nil }
        isDonorProven = false
        self.donor = nil
        return await duplicate(donor)
    }

    /// Compares the donor with what the provider's answer leads to. Nil to go on at once.
    func tryDonor(_ media: ResolvedMedia, _ connections: JobConnections) async -> JobOutcome? {
        guard let donor else { return nil }
        let isSame = await isSame(donor, media, connections)
        if Task.isCancelled { return .stopped }
        self.donor = nil
        return isSame ? await duplicate(donor) : .differs(donor)
    }

    /// Whether the donor has the bytes that the answer leads to: by the provider's SHA-256; by the very same request; by
    /// the same segments; or by the same strong entity tag and size with equal bytes in the middle.
    private func isSame(_ donor: Donor, _ media: ResolvedMedia, _ connections: JobConnections) async -> Bool {
        guard donor.isPossible(for: wanted) else { return false }
        if let expected = expectedSHA256 { return donor.file.sha256 == expected }
        if media.resolution.kind == .hls {
            // Subtitles within the stream would be missing beside a second name of the file.
            guard donor.file.source == wanted.source, wanted.video.settings.subtitles == .none else { return false }
            if donor.request == media.identity { return true }
            guard case .stream(let digest)? = donor.file.proof else { return false }
            return await hasSegments(digest, media, connections)
        }
        if let size = media.resolution.size, size != donor.file.size { return false }
        if donor.request == media.identity { return true }
        guard case .etag(let tag)? = donor.file.proof else { return false }
        return await hasTag(tag, donor, media)
    }

    /// Asks for some bytes from the middle of the file: an entity tag is unique to its URL only, and many servers make it
    /// of nothing but time and size.
    private func hasTag(_ tag: String, _ donor: Donor, _ media: ResolvedMedia) async -> Bool {
        guard donor.file.size > 0 else { return false }
        let sample = Self.sample(of: donor.file.size)
        let library = services.library
        let bytes = await Blocking.run { _ in
            try? library.bytes(of: donor.file.path, record: FileRecord(donor.file), sample)
        }
        guard let bytes else { return false }
        if media.resolution.singleUse { self.media?.use() }
        var request = media.request(start: .range(sample), expectedSize: nil, limitRate: services.knobs.limitRate)
        request.expectedSize = nil
        let buffer = BodyBuffer()
        let report = await services.engine.fetch(request, into: buffer)
        received.add(report.received, ordering: .relaxed)
        guard let head = report.head else { return false }
        note(head)
        return report.failure == nil && head.etag == tag && head.total == donor.file.size && buffer.take() == bytes
    }

    /// Few bytes, where they tell files of one kind and size apart: not in their heads or ends.
    static func sample(of size: Int64) -> Range<Int64> {
        let count = min(size, 65_536)
        let start = (size - count) / 2
        return start..<start + count
    }

    /// Makes the file out of one that the library has: a hard link, else a clone, else a copy. Nil if that one is no good
    /// any more, so that it has to be transferred after all.
    func duplicate(_ donor: Donor) async -> JobOutcome? {
        let file = donor.file
        // A known SHA-256 has the last word: a file of an earlier run is read before it is shared, whatever its time says.
        let isReadFirst = expectedSHA256 != nil && donor.request == nil
        let record = FileRecord(
            size: file.size, modified: isReadFirst ? nil : file.modified, sha256: file.sha256?.hex)
        let name = PartialName(download: id.rawValue)
        let library = services.library
        let isDone = await Blocking.run { shouldStop in
            do {
                switch try library.duplicate(
                    file.path, record: record, as: name, shouldStop: shouldStop)
                {
                case .donorUnusable: return false
                case .hardLink: return true
                case .clone, .copy:
                    try library.openPartial(name).flush()
                    return true
                }
            } catch {
                return false
            }
        }
        if Task.isCancelled { return .stopped }
        guard isDone else { return nil }
        proof = file.proof
        live.withLock { $0.request = donor.request }
        let stated = file.path.split(separator: ".").last.map(String.init)
        return .complete(
            CompletedVideo(
                job: self, partial: nil, size: file.size, sha256: file.sha256,
                expectedSHA256: wanted.video.sha256,
                fileExtension: .choose(.video, stated: stated, mediaType: nil, contentType: nil, url: nil)))
    }
}
