import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import ProviderKit
import SyncFacts

/// The file that a ``FileDownload`` brings: the video itself, or one of the files that it is made of.
struct FileTarget: Sendable {
    let name: PartialName
    /// Whether the download has no other file.
    let isOnly: Bool
    /// Whether its digest is wanted even if nobody says what it should be.
    let isPlaced: Bool
    /// The change that records its durable progress.
    let record: @Sendable (ProgressFacts) -> DownloadChange
    /// The catalog's entry; nil for a file that the catalog says nothing of.
    private let video: Video?

    /// The file that a download, or one of its views, is.
    init(_ context: DownloadContext) {
        self.init(context, number: 0, isOnly: !context.isPart, isPlaced: true, record: context.record)
    }

    /// A file of which something is made.
    ///
    /// - Parameter number: 0 for the video's picture, of which the catalog's size and checksums are.
    init(_ context: DownloadContext, number: Int, record: @escaping @Sendable (ProgressFacts) -> DownloadChange) {
        self.init(context, number: number, isOnly: false, isPlaced: false, record: record)
    }

    private init(
        _ context: DownloadContext, number: Int, isOnly: Bool, isPlaced: Bool,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) {
        name = context.name(.track(number, of: context.id))
        video = number == 0 && context.view == 0 ? context.wanted.video : nil
        self.isOnly = isOnly
        self.isPlaced = isPlaced
        self.record = record
    }

    /// By the catalog.
    var size: Int64? { video?.size }

    /// From the catalog or else the provider; nil if neither has one.
    func expectedSHA256(_ answer: ResolvedMedia?) -> Checksum? {
        video?.checksum ?? answer?.resolution.sha256.flatMap(Checksum.init(hex:))
    }

    /// From the catalog or else the provider; nil if neither has any.
    func expectedChecksums(_ answer: ResolvedMedia?) -> PublishedChecksums? {
        video?.checksums ?? answer?.resolution.checksums.flatMap { PublishedChecksums($0) }
    }
}
