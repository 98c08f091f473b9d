package import CourseCatalog
package import Foundation
package import ProviderKit

/// Why a listing is of no use, as errors of the protocol: those have a message.
extension ProviderError {
    /// Its shard answers for the listing of a course that several shards have.
    package static let askedInVain = ProviderError(.unavailable, "another shard has asked for the listing in vain")
    package static let runIsEnding = ProviderError(.cancelled, "the run is ending")
    static let unchangedWithoutKnown = fault("'unchanged' in its answer, but no 'known' was sent")
    static let repeatedCursor = fault("its listing doesn't end: a 'next' came twice")

    static func tooManyPages(bound: Int) -> ProviderError { fault("its listing has more than \(bound) pages") }
    static func tooManyVideos(bound: Int) -> ProviderError { fault("its listing has more than \(bound) videos") }
    /// - Parameter bound: bytes.
    static func tooLarge(bound: Int) -> ProviderError { fault("its listing is larger than \(bound >> 20) MiB") }

    /// Whether the provider says that a course isn't open now, and nobody has to do anything about it: it has been
    /// listed before, at `last`, or the provider itself has named it. Its last listing, if there is one, stays in use.
    package func isNotOpen(_ course: Course, of catalog: Catalog, last: Date?) -> Bool {
        kind == .notReady && (last != nil || catalog.isFromSource(course))
    }

    private static func fault(_ reason: String) -> ProviderError { ProviderError(.pluginFault, reason) }
}
