package import FileSystem
import Foundation

/// What a ``SourceDigest`` is of: provider, quality, sound, parameters.
package enum SourceSettings {}

/// Where a video comes from, but for its id; 16 bytes. Without any of what has no source of its own.
package typealias SourceDigest = DigestOf<SourceSettings>

/// What an ``ExtrasDigest`` is of.
package enum CatalogExtras {}

/// The cover, subtitle files and attachments that a catalog names beside a video; 16 bytes.
package typealias ExtrasDigest = DigestOf<CatalogExtras>

/// What a ``CoverDigest`` is of.
package enum CoverPlace {}

/// Where the cover of a course or chapter comes from, as its catalog says; 16 bytes.
package typealias CoverDigest = DigestOf<CoverPlace>

/// What a ``StreamDigest`` is of.
package enum StreamAddresses {}

/// The addresses, byte ranges and keys of all segments of a stream; 32 bytes.
package typealias StreamDigest = DigestOf<StreamAddresses>

extension DigestOf {
    /// As SQLite keeps it.
    var data: Data { withUnsafeBytes { Data($0) } }
}
