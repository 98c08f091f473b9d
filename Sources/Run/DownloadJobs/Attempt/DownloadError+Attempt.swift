package import DownloadStore
package import FileSystem
import Foundation
package import Hooks
package import MediaTransfer
package import ProviderKit
import TextFormats

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension DownloadError {
    /// The transfer's failure in the form of events; `url` is where it happened.
    init(_ failure: TransferFailure, at url: String? = nil, insteadOf wanted: StaticString = "a video") {
        let (kind, status): (Kind, Int?) =
            switch failure {
            case .refused(let status, .page): (.notMedia, status)
            case .refused(let status, _): (.urlRefused, status)
            case .status(let status, _): (.httpStatus, status)
            case .rangeIgnored, .rangeMismatch, .identityChanged: (.identityChanged, nil)
            case .truncated, .empty, .lengthUnknown, .partOnly: (.truncated, nil)
            case .tooLong(.maximum): (.tooLarge, nil)
            case .tooLong: (.tooLong, nil)
            case .sizeMismatch: (.sizeMismatch, nil)
            case .badResponse, .network, .cancelled, .shutDown: (.network, nil)
            case .redirect, .outOfReach: (.urlRefused, nil)
            case .tls: (.tls, nil)
            case .stalled: (.stalled, nil)
            case .file: (.disk, nil)
            case .invalidRequest: (.bug, nil)
            }
        self.init(
            kind: kind, message: failure.sentence(at: url.flatMap { ShownAddress($0) }, insteadOf: wanted),
            status: status)
    }

    /// The provider's error in the form of events.
    package init(_ error: ProviderError) {
        let kind: Kind =
            switch error.kind {
            case .machineExhausted: .disk
            case .unsupported, .pluginFault, .providerFailed, .renewalNeeded, .cancelled: .providerFailed
            default: Kind(rawValue: error.kind.rawValue) ?? .providerFailed
            }
        // What passes by itself, or is the plugin's fault, has nothing to do with what the catalog says.
        let isOfCatalog = [.invalidParameters, .notFound, .gone, .forbidden].contains(error.kind)
        let parameter = isOfCatalog ? error.parameter : nil
        let message = parameter.map { "\(error.message) (parameter \($0))" } ?? error.message
        self.init(kind: kind, message: message)
    }

    /// Whether another attempt would fail in the same way.
    package var isFinal: Bool {
        switch kind {
        case .forbidden, .geoBlocked, .notFound, .gone, .drm, .invalidParameters: true
        default: false
        }
    }

    /// Whether the disk is full, as opposed to refusing, failing, or taking no file of this size.
    static func isFull(_ failure: TransferFailure) -> Bool {
        guard case .file(let code) = failure else { return false }
        return [ENOSPC, EDQUOT].contains(code)
    }
}

extension TransferFailure {
    /// Whether a server answered with something that isn't part of a file, while the whole file may still be available:
    /// neither a refused URL nor a host in trouble.
    var isNoPart: Bool {
        switch self {
        case .badResponse, .refused(_, .page), .refused(_, .login): true
        case .status(let status, _): status < 500 && status != 408 && status != 429
        default: false
        }
    }
}

/// Errors of a job's turn. The sentences are stored with the row: see ``DownloadError/message``.
extension DownloadError {
    static let badURL = DownloadError(
        kind: .providerFailed, message: "the provider's URL isn't an http or https URL")

    static let wrongChecksum = DownloadError(
        kind: .checksumMismatch, message: "the downloaded file doesn't have the expected SHA-256")

    package static func wrongChecksum(_ algorithm: PublishedChecksums.Algorithm) -> DownloadError {
        let name =
            switch algorithm {
            case .md5: "MD5"
            case .sha1: "SHA-1"
            case .crc32: "CRC-32"
            }
        return DownloadError(
            kind: .checksumMismatch, message: "the downloaded file doesn't have the expected \(name)")
    }

    /// Of a video that a list hands over.
    package static func nearServer(of provider: String) -> DownloadError {
        DownloadError(
            kind: .forbidden,
            message: "the list that hands it over to \(provider) names a server in a network that isn't the list's own")
    }

    /// By its provider's listing.
    static func notAvailable(before date: Date) -> DownloadError {
        DownloadError(kind: .notReady, message: "its provider has it from \(Timestamp.text(date)) on")
    }

    static func wrongSize(_ size: Int64, instead wanted: Int64) -> DownloadError {
        DownloadError(kind: .sizeMismatch, message: "the file has \(size) bytes instead of \(wanted)")
    }

    /// After more changes than a run accepts.
    static func otherVersion(status: Int?) -> DownloadError {
        DownloadError(
            kind: .identityChanged,
            message: "the server keeps sending a different version of the file", status: status)
    }

    /// After more beginnings than a run accepts, of a server that can't continue a file.
    static let noRanges = DownloadError(
        kind: .identityChanged,
        message: "the server can't continue an interrupted download; it sends the file from its beginning each time")

    static func otherKind(_ kind: DownloadKind, before: DownloadKind) -> DownloadError {
        DownloadError(
            kind: .identityChanged,
            message: "the provider now has \(kind.name) instead of \(before.name)")
    }

    /// The partials can't be continued: the provider names other parts.
    static let otherParts = DownloadError(
        kind: .identityChanged, message: "the provider names other tracks or streams than when the download began")

    /// With the name of the part that it is about; nil for the video's own.
    func about(_ name: String?) -> DownloadError {
        guard let name, !name.isEmpty else { return self }
        var error = self
        error.message = "\(name): \(message)"
        return error
    }

    // MARK: the disk

    static func partialUnopened(_ reason: String) -> DownloadError {
        DownloadError(kind: .disk, message: "its partial file can't be opened: \(reason)")
    }

    static func partialKept(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "its partial file can't be emptied: \(error)")
    }

    static func unwritable(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "its files can't be written: \(error)")
    }

    /// The bytes of a video can't be read back.
    package static func arrivedUnreadable(_ error: any Error) -> DownloadError {
        DownloadError(kind: .disk, message: "the downloaded file can't be read back: \(error)")
    }

    package static func notOnDisk(_ error: FileError) -> DownloadError {
        DownloadError(kind: .disk, message: "its data can't be flushed to the disk: \(error)")
    }

    static func noDescriptors(_ limit: Int) -> DownloadError {
        let message = """
            too many open files: this process may open \(limit); raise the limit with ulimit -n, or use fewer --jobs
            """
        return DownloadError(kind: .disk, message: message)
    }
}

/// Errors from the user's hook commands.
extension DownloadError {
    static func refusedByHook(_ reason: String?) -> DownloadError {
        DownloadError(
            kind: .rejectedByHook, message: "a before-request hook refused the request\(reason.map { ": \($0)" } ?? "")"
        )
    }

    package static func rejectedByHook(_ reason: String?) -> DownloadError {
        DownloadError(
            kind: .rejectedByHook, message: "an after-download hook rejected the file\(reason.map { ": \($0)" } ?? "")")
    }

    package static func unwantedByHook(_ reason: String?) -> DownloadError {
        DownloadError(
            kind: .rejectedByHook,
            message: "an after-download hook asked for another download\(reason.map { ": \($0)" } ?? "")")
    }

    package static func brokenHook(_ point: HookPoint, _ trouble: HookProblem) -> DownloadError {
        let name = point.rawValue
        let message =
            switch trouble {
            case .notStarted: "the \(name) hook can't be run"
            case .timedOut: "the \(name) hook took too long and was ended"
            case .signaled(let signal): "the \(name) hook was ended by signal \(signal)"
            case .cancelled: "the run ended before the \(name) hook did"
            case .unreadable: "the \(name) hook wrote something that begins with { and isn't a JSON object"
            case .wrongType(let field): "'\(field)' in the answer of the \(name) hook has the wrong type"
            case .unknownVerdict(let word):
                """
                the \(name) hook gave the verdict '\(word)'; use \
                \(point == .beforeRequest ? "refuse" : "accept, reject or retry")
                """
            case .changedFile: "the \(name) hook changed the file; it may only judge it"
            case .badURL: "the \(name) hook gave an address that isn't http or https"
            case .badHeader(let header): "the \(name) hook gave a header that can't be sent: '\(header)'"
            }
        return DownloadError(kind: .rejectedByHook, message: message)
    }
}

extension DownloadKind {
    /// For messages.
    fileprivate var name: String {
        switch self {
        case .stream: "a stream"
        case .tracks: "a file with tracks"
        case .views: "several streams"
        default: "a file"
        }
    }
}
