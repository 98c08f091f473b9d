package import FileSystem
import Foundation

/// The subject of a ``SourceDigest``: provider, quality, sound, streams, parameters.
package enum SourceSettings {}

/// The source of a video, without its id; 16 bytes. Empty for files without a source of their own.
package typealias SourceDigest = DigestOf<SourceSettings>

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
