import ProviderKit

/// Why a listing is of no use, as errors of the protocol: those have a message.
extension ProviderError {
    static let runIsEnding = ProviderError(.cancelled, "the run is ending")
    static let unchangedWithoutKnown = fault("'unchanged' in its answer, but no 'known' was sent")
    static let repeatedCursor = fault("its listing doesn't end: a 'next' came twice")

    static func tooManyPages(bound: Int) -> ProviderError { fault("its listing has more than \(bound) pages") }
    static func tooManyVideos(bound: Int) -> ProviderError { fault("its listing has more than \(bound) videos") }
    /// - Parameter bound: bytes.
    static func tooLarge(bound: Int) -> ProviderError { fault("its listing is larger than \(bound >> 20) MiB") }

    private static func fault(_ reason: String) -> ProviderError { ProviderError(.pluginFault, reason) }
}
