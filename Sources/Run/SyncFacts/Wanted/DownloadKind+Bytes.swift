package import DownloadStore

extension DownloadKind {
    /// Whether the file in the library has the exact bytes to which size and SHA-256 of catalog and provider apply.
    /// Those of an unknown kind, of a later version or a damaged row, count as a file's.
    package var keepsBytes: Bool { self != .stream && !hasParts }

    /// Whether it consists of several downloads: size and checksums of catalog and provider are those of one of them.
    package var hasParts: Bool { self == .tracks || self == .views }

    /// The kinds of sidecars that come with the video itself and can't be downloaded otherwise.
    package var brings: Set<SidecarRecord.Kind> {
        switch self {
        case .stream, .views: [.stream, .subtitle]
        case .tracks: [.stream]
        default: []
        }
    }
}
