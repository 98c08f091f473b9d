import CourseCatalog
import Foundation
import MediaTransfer
import ProviderKit
import SystemPackage

/// Fetches a catalog from its address, once: bounded in size and time, and only if it has changed since the last copy.
struct CatalogFetch: PrintsRedacted {
    /// Bytes of a catalog that is fetched.
    static let longest = 64 << 20
    /// How long a catalog may take.
    static let patience = Duration.seconds(60)

    /// Whole; may hold a secret.
    let url: String
    let copy: CatalogCopy
    let engine: TransferEngine
    var patience = CatalogFetch.patience

    /// What is there to read then.
    enum Outcome: Sendable, Equatable {
        /// The copy, and what is to be said about it.
        case copy(CatalogTrouble?)
        /// A text that couldn't be kept, and why.
        case text([UInt8], CatalogTrouble)
        case nothing(CatalogTrouble)
    }

    /// Asks for it.
    func run(now: Date = Date()) async -> Outcome {
        let mark = copy.mark()
        func failed(_ reason: CatalogTrouble.Reason) -> Outcome {
            guard let mark else { return .nothing(.notFetched(reason)) }
            return .copy(.outdated(reason, fetched: Self.minute(mark.fetchedAt)))
        }
        guard let parsed = ParsedURL(url) else { return failed(.notAnAddress) }
        var request = TransferRequest(url: url)
        request.trustedOrigins = [parsed.origin]
        request.maxSize = Int64(Self.longest)
        // YAML may be JSON. A page is looked for below.
        request.allowsMarkup = true
        request.held = mark?.etag.map { .etag($0) } ?? mark?.lastModified.map { .lastModified($0) }
        let buffer = BodyBuffer(most: Self.longest)
        let (report, isTooSlow) = await fetch(request, into: buffer)
        if case .status(304, _) = report.failure, mark != nil { return .copy(nil) }
        if isTooSlow { return failed(.tooSlow(seconds: Int(patience.components.seconds))) }
        if let failure = report.failure { return failed(.transfer(failure.sentence)) }
        if ["text/html", "application/xhtml+xml"].contains(report.head?.contentType ?? "") { return failed(.page) }
        let bytes = buffer.take()
        do throws(Errno) {
            try copy.store(bytes, etag: report.head?.etag, lastModified: report.head?.lastModified, at: now)
            return .copy(nil)
        } catch {
            return .text(bytes, .notKept("\(error)"))
        }
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

    /// `2026-11-22 02:30`, as the clock on the wall had it.
    private static func minute(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: date)
    }
}
