import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
import MediaTransfer
import ProviderKit
import SyncFacts

/// The input common to all parts of one download: the wanted video, and the run's services.
package final class DownloadContext: Sendable {
    let wanted: WantedDownload
    let services: RunServices

    init(wanted: WantedDownload, services: RunServices) {
        self.wanted = wanted
        self.services = services
    }

    var id: DownloadID { wanted.id }

    /// The file's expected hash, from the catalog or else the provider; nil if neither has one.
    func expectedSHA256(_ answer: ResolvedMedia?) -> Checksum? {
        wanted.video.checksum ?? answer?.resolution.sha256.flatMap(Checksum.init(hex:))
    }

    var sizeLimit: SizeLimit {
        SizeLimit(option: services.options.maxSize, catalog: wanted.video.settings.maxSize)
    }

    /// The published checksums that the file must have, from the catalog or else the provider; nil if neither has any.
    func expectedChecksums(_ answer: ResolvedMedia?) -> PublishedChecksums? {
        wanted.video.checksums ?? answer?.resolution.checksums.flatMap { PublishedChecksums($0) }
    }

    /// Warns about a defect of the stream.
    func warn(_ warning: SyncWarning.Stream) { services.events.post(.warning(.stream(warning), wanted.reference)) }

    /// Compares the server's clock with ours, and warns if they differ much.
    func note(_ head: ResponseHead) {
        guard let skew = services.serverClocks.note(head) else { return }
        let seconds = Int(skew.timeInterval.rounded())
        services.events.post(.warning(.clockOff(host: "\(head.origin.host)", seconds: seconds), nil))
    }

    /// Opens a partial whose first `length` bytes are valid.
    func openPartial(_ name: PartialName, length: Int64, hashes: Bool) throws -> PartialFile {
        try PartialFile(
            descriptor: try services.library.partials.open(name).release(), length: length, hashes: hashes)
    }

    /// A small file in a partial.
    func writePartial(_ name: PartialName, _ bytes: [UInt8], hashes: Bool) throws -> PartialFile {
        let partial = try openPartial(name, length: 0, hashes: hashes)
        try bytes.withUnsafeBytes { try partial.append($0) }
        return partial
    }

    /// Removes partials, as far as possible.
    func removePartials(_ names: [PartialName]) { for name in names { try? services.library.partials.remove(name) } }
}
