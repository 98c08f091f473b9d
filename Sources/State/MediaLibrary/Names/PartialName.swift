/// The name of a partial: `<download id>.part`, or `<download id>.<sidecar>.part` for a sidecar.
package struct PartialName: Sendable, Hashable, CustomStringConvertible {
    /// The download's id.
    package let download: Int64
    /// The sidecar's name; nil for the video itself.
    package let sidecar: String?

    /// The video's.
    package init(download: Int64) {
        self.download = download
        sidecar = nil
    }

    /// A sidecar's. Characters other than `a`–`z`, `0`–`9` and `-` become `-`; at most 40 bytes count.
    package init(download: Int64, sidecar: String) {
        self.download = download
        self.sidecar = String(
            decoding: sidecar.utf8.prefix(40).map { Self.isPlain($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// The same partial of another download.
    package func of(download: Int64) -> PartialName {
        sidecar.map { PartialName(download: download, sidecar: $0) } ?? PartialName(download: download)
    }

    /// Nil for a file name that isn't a partial's.
    package init?(fileName: String) {
        let parts = fileName.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, parts.last == "part", let download = Int64(parts[0]) else {
            return nil
        }
        self =
            parts.count == 3
            ? PartialName(download: download, sidecar: String(parts[1])) : PartialName(download: download)
        // `007.part` or `+7.part` isn't ours.
        guard self.fileName == fileName else { return nil }
    }

    /// In `.coursefetch/partials/`.
    package var fileName: String {
        if let sidecar { "\(download).\(sidecar).part" } else { "\(download).part" }
    }

    package var description: String { fileName }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
