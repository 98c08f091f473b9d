import CourseCatalog
import Foundation
import MediaTransfer
import ProviderKit
import SystemPackage

/// Fetches a catalog from its address, once: bounded in size and time, and only if it has changed since the last copy.
struct CatalogFetch: PrintsRedacted {
    /// The limit on the bytes of a fetched catalog.
    static let longest = 64 << 20
    /// The limit on the time of a fetch.
    static let patience = Duration.seconds(60)

    /// The complete URL; may contain a secret.
    let url: String
    let copy: CatalogCopy
    let engine: TransferEngine
    var patience = CatalogFetch.patience

    /// The result of fetching a catalog.
    enum Outcome: Sendable, Equatable {
        /// The copy, with a warning about it.
        case copy(CatalogInputProblem?)
        /// A text that isn't stored yet, since it hasn't been validated.
        case new([UInt8], etag: String?, lastModified: String?)
        case nothing(CatalogInputProblem)
    }

    func run() async -> Outcome {
        let mark = copy.mark()
        func failed(_ reason: CatalogInputProblem.Reason) -> Outcome {
            copy.outdated(reason).map { .copy($0) } ?? .nothing(.notFetched(reason))
        }
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP else { return failed(.notAnAddress) }
        var request = TransferRequest(url: url)
        request.trustedOrigins = [parsed.origin]
        request.maxSize = Int64(Self.longest)
        // Some servers have no type for YAML. A web page is detected below.
        request.allowsMarkup = true
        request.held = mark?.etag.map { .etag($0) } ?? mark?.lastModified.map { .lastModified($0) }
        let buffer = BodyBuffer(most: Self.longest)
        let (report, isTooSlow) = await fetch(request, into: buffer)
        if case .status(304, _) = report.failure, mark != nil { return .copy(nil) }
        if isTooSlow { return failed(.tooSlow(seconds: Int(patience.components.seconds))) }
        if let failure = report.failure { return failed(.transfer(failure.sentence)) }
        let bytes = buffer.take()
        if ["text/html", "application/xhtml+xml"].contains(report.head?.contentType ?? "")
            || WebPageSignature.isHTML(Array(bytes.prefix(WebPageSignature.length)))
        {
            return failed(.page)
        }
        return .new(bytes, etag: report.head?.etag, lastModified: report.head?.lastModified)
    }

    private func fetch(
        _ request: TransferRequest, into buffer: BodyBuffer
    ) async -> (report: TransferReport, isTooSlow: Bool) {
        let (engine, patience) = (engine, patience)
        let transfer = Task { await engine.fetch(request, into: buffer) }
        let alarm = Task {
            try await Task.sleep(for: patience)
            transfer.cancel()
        }
        let report = await withTaskCancellationHandler {
            await transfer.value
        } onCancel: {
            transfer.cancel()
        }
        alarm.cancel()
        return (report, report.failure == .cancelled && !Task.isCancelled)
    }
}
