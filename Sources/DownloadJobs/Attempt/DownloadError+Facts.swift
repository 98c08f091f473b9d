import DownloadStore
import MediaTransfer
package import ProviderKit

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension DownloadError {
    /// The transfer's fact in the words of the events.
    init(_ failure: TransferFailure) {
        let (kind, status): (Kind, Int?) =
            switch failure {
            case .refused(let status, .page): (.notMedia, status)
            case .refused(let status, _): (.urlRefused, status)
            case .status(let status, _): (.httpStatus, status)
            case .rangeIgnored, .rangeMismatch, .identityChanged: (.identityChanged, nil)
            case .truncated, .empty, .lengthUnknown, .partOnly: (.truncated, nil)
            case .tooLong: (.tooLong, nil)
            case .sizeMismatch: (.sizeMismatch, nil)
            case .badResponse, .network, .cancelled, .shutDown: (.network, nil)
            case .redirect, .outOfReach: (.urlRefused, nil)
            case .tls: (.tls, nil)
            case .stalled: (.stalled, nil)
            case .file: (.disk, nil)
            case .invalidRequest: (.bug, nil)
            }
        self.init(kind: kind, message: failure.sentence, status: status)
    }

    /// The provider's answer in the words of the events.
    package init(_ error: ProviderError) {
        let kind: Kind =
            switch error.kind {
            case .machineExhausted: .disk
            case .unsupported, .pluginFault, .providerFailed, .cancelled: .providerFailed
            default: Kind(rawValue: error.kind.rawValue) ?? .providerFailed
            }
        let message = error.parameter.map { "\(error.message) (parameter \($0))" } ?? error.message
        self.init(kind: kind, message: message)
    }

    /// Whether no other attempt can end differently.
    package var isFinal: Bool {
        switch kind {
        case .forbidden, .geoBlocked, .notFound, .gone, .drm, .invalidParameters: true
        default: false
        }
    }

    /// Whether the disk has no room, as opposed to refusing, failing, or taking no file of this size.
    static func isFull(_ failure: TransferFailure) -> Bool {
        guard case .file(let code) = failure else { return false }
        return [ENOSPC, EDQUOT].contains(code)
    }
}

extension TransferFailure {
    /// Whether a server answered with something that is no part of a file, while the whole may still be had: neither a
    /// refusal of the URL nor a host in trouble.
    var isNoPart: Bool {
        switch self {
        case .badResponse, .refused(_, .page), .refused(_, .login): true
        case .status(let status, _): status < 500 && status != 408 && status != 429
        default: false
        }
    }
}
