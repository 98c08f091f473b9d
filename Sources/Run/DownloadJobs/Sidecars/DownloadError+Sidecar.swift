import DownloadStore
import SystemPackage

/// Errors of a sidecar. The sentences are stored with its row: see ``DownloadError/message``.
extension DownloadError {
    static let addressExpired = DownloadError(kind: .urlRefused, message: "its address has expired")

    static func sidecarUnopened(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "its partial file can't be opened: \(error)")
    }

    static func sidecarUnreadable(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "it can't be read back: \(error)")
    }

    /// With host and path of its address, which isn't stored, at the end of the message.
    func located(at address: String?) -> DownloadError {
        guard let address, !message.contains(address) else { return self }
        var located = self
        located.message += ", from \(address)"
        return located
    }

    // MARK: a picture beside the catalog

    static func coverTooLarge(_ path: String, limit: Int64) -> DownloadError {
        DownloadError(kind: .disk, message: "\(path) is larger than \(limit >> 20) MiB")
    }

    static func coverUnreadable(_ path: String, _ error: Errno) -> DownloadError {
        let problem =
            switch error {
            case .tooManySymbolicLinkLevels, .improperLink, .notDirectory:
                "is a symbolic link or behind one; a cover must be a file in the catalog's folder"
            case .invalidArgument, .isDirectory: "isn't a file"
            default: "can't be read: \(error)"
            }
        return DownloadError(kind: .disk, message: "\(path) \(problem)")
    }
}
