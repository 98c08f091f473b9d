import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import MediaLibrary
import MediaTransfer
import ProviderKit
import SyncFacts

/// The input common to all parts of one download: the wanted video, and the run's services.
package final class DownloadContext: Sendable {
    let wanted: WantedDownload
    let services: RunServices
    /// Whether it is one of several downloads of which the video is made.
    let isPart: Bool
    /// The number of its view of the video, 0 for the main one.
    let view: Int
    private let role: String
    /// The change that records its durable progress.
    let record: @Sendable (ProgressFacts) -> DownloadChange

    init(wanted: WantedDownload, services: RunServices) {
        self.wanted = wanted
        self.services = services
        isPart = false
        (view, role) = (0, "")
        record = { [id = wanted.id] in .progress(id, $0) }
    }

    /// A view of another context's video.
    init(
        _ whole: DownloadContext, view: Int, role: String,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) {
        var wanted = whole.wanted
        if view > 0 {
            wanted.stem = wanted.viewNames.stem(of: role, beside: wanted.stem, id: wanted.reference.video)
            (wanted.oldFile, wanted.donor) = (nil, nil)
        }
        self.wanted = wanted
        services = whole.services
        isPart = true
        (self.view, self.role) = (view, role)
        self.record = record
    }

    var id: DownloadID { wanted.id }

    /// Of the file, by the catalog.
    var size: Int64? { view == 0 ? wanted.video.size : nil }

    /// The catalog's choice among renditions. Subtitles come with the main view.
    var preference: StreamPreference {
        var preference = StreamPreference(wanted.video.settings)
        if view > 0 { preference.subtitles = .none }
        return preference
    }

    /// The name of this view's partial that is called so for the main one.
    func name(_ partial: PartialName) -> PartialName { partial.inView(view) }

    /// The name of a file beside this view in the state.
    func part(_ name: String) -> String { view == 0 ? name : SidecarRecord.name(name, ofView: role) }

    /// The file's expected hash, from the catalog or else the provider; nil if neither has one.
    func expectedSHA256(_ answer: ResolvedMedia?) -> Checksum? { FileTarget(self).expectedSHA256(answer) }

    var sizeLimit: SizeLimit {
        SizeLimit(option: services.options.maxSize, catalog: wanted.video.settings.maxSize)
    }

    /// The published checksums that the file must have, from the catalog or else the provider; nil if neither has any.
    func expectedChecksums(_ answer: ResolvedMedia?) -> PublishedChecksums? {
        FileTarget(self).expectedChecksums(answer)
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
