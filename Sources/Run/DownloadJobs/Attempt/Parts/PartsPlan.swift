import DownloadStore
import ProviderKit
import SyncFacts

/// Of which downloads one consists, and what is made of them: the rules of a ``PartedDownload``.
protocol PartsPlan: Sendable {
    static var kind: DownloadKind { get }

    /// What each part is, to recognise it in a later answer.
    static func labels(of resolution: Resolution) -> [String]
    /// What messages call a part; nil for the video's own.
    static func name(of number: Int, in resolution: Resolution) -> String?
    /// Whether a part may be text: subtitles.
    static func mayBeText(_ number: Int, in resolution: Resolution) -> Bool
    /// The answer for a part alone.
    static func answer(for number: Int, in answer: ResolvedMedia) -> ResolvedMedia
    /// Takes over what requests with the answer for a part have changed.
    static func put(_ answer: ResolvedMedia, for number: Int, into whole: inout ResolvedMedia)
    /// - Parameter record: the change that records its durable progress.
    static func download(
        _ number: Int, of resolution: Resolution, _ context: DownloadContext, resume: ResumeRecord?,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) -> any MediaDownload
    /// All parts are complete, and right.
    static func finish(
        _ parts: [ArrivedPart], _ answer: ResolvedMedia, _ context: DownloadContext
    ) async -> AttemptEnd
}

/// A complete part of a download.
struct ArrivedPart: Sendable {
    var download: any MediaDownload
    var media: ArrivedMedia
}
