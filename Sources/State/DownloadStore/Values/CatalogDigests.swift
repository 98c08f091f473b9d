package import FileSystem
import Foundation

/// The subject of a ``SourceDigest``: provider, quality, sound, streams, parameters.
package enum SourceSettings {}

/// The source of a video, without its id: 16 bytes, and 8 more for a choice among its views. Empty for files without a
/// source of their own.
package typealias SourceDigest = DigestOf<SourceSettings>

extension DigestOf<SourceSettings> {
    private static var besidesViews: Int { 16 }

    /// The same source with a choice among its views, given the digest of that.
    package func choosing(_ views: some Sequence<UInt8>) -> SourceDigest {
        withUnsafeBytes { SourceDigest(Array($0.prefix(Self.besidesViews)) + Array(views.prefix(8))) }
    }

    /// Whether it is the same source besides the choice among its views; never for an empty one.
    package func isSameBesidesViews(as other: SourceDigest) -> Bool {
        guard count >= Self.besidesViews, other.count >= Self.besidesViews else { return false }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { $0.prefix(Self.besidesViews).elementsEqual(one.prefix(Self.besidesViews)) }
        }
    }
}

/// The subject of an ``ExtrasDigest``.
package enum CatalogExtras {}

/// The cover, subtitle files and attachments that a catalog names beside a video; 16 bytes.
package typealias ExtrasDigest = DigestOf<CatalogExtras>

/// The subject of a ``CoverDigest``.
package enum CoverPlace {}

/// The source of a course's or chapter's cover in its catalog; 16 bytes.
package typealias CoverDigest = DigestOf<CoverPlace>

/// The subject of a ``StreamDigest``.
package enum StreamAddresses {}

/// The addresses, byte ranges and keys of all segments of a stream; 32 bytes.
package typealias StreamDigest = DigestOf<StreamAddresses>

extension DigestOf {
    /// The form in SQLite.
    var data: Data { withUnsafeBytes { Data($0) } }
}
