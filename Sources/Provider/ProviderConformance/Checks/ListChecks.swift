import Foundation
import ProviderHost
import ProviderKit

/// The listing of a course, page by page.
struct ListChecks {
    /// More pages aren't asked for.
    private static let pageBound = 200
    private static let knownBound = 4096
    private static let idBound = 1024
    /// Listed videos that are resolved.
    private static let sampleCount = 3

    let context: CheckContext

    /// The cursor of the second page, and the pages' results by check.
    struct Outcome {
        var cursor: String?
        var verdicts: [ConformanceCheck: CheckVerdict]
    }

    func run() async -> Outcome {
        let checks: [ConformanceCheck] = [.list, .listPages, .listIDs, .listKnown]
        guard context.plugin.manifest.methods.contains("list") else {
            return all(checks, .skipped(.noMethod("list")))
        }
        let first = await context.askRecorded(context.list()).answered
        if let failure = first.failure {
            var outcome = all(checks, .skipped(.notListed(kind: "", message: "")))
            outcome.verdicts[.list] = .failed([failure])
            return outcome
        }
        guard let listing = first.listing else {
            let message = context.secrets.redactor.redact(first.error?.message ?? "", limit: 300)
            return all(checks, .skipped(.notListed(kind: first.error?.kind.rawValue ?? "", message: message)))
        }
        var outcome = Outcome(cursor: listing.next, verdicts: [.list: .passed])
        let (pages, failures, excuse) = await pages(from: first)
        outcome.verdicts[.list] = CheckVerdict(failures.list)
        outcome.verdicts[.listPages] = excuse ?? CheckVerdict(failures.pages)
        if failures.pages.isEmpty, excuse == nil, listing.next == nil {
            outcome.verdicts[.listPages] = .skipped(.onePage)
        }
        outcome.verdicts[.listIDs] = CheckVerdict(repeated(pages))
        outcome.verdicts[.listKnown] = await known(pages)
        takeSamples(pages.compactMap(\.listing))
        return outcome
    }

    private func all(_ checks: [ConformanceCheck], _ verdict: CheckVerdict) -> Outcome {
        Outcome(cursor: nil, verdicts: Dictionary(checks.map { ($0, verdict) }) { $1 })
    }

    private func pages(
        from first: CheckAnswer
    ) async -> (
        pages: [CheckAnswer], failures: (list: [CheckFailure], pages: [CheckFailure]), excuse: CheckVerdict?
    ) {
        var pages = [first]
        var excuse: CheckVerdict?
        var faults: (list: [CheckFailure], pages: [CheckFailure]) = ([], [])
        var cursors: Set<String> = []
        var next = first.listing?.next
        while let cursor = next {
            guard cursors.insert(cursor).inserted else {
                faults.pages.append(
                    CheckFailure(
                        .repeatedCursor(context.secrets.redactor.redact(cursor, limit: 100)), pages.last?.exchange))
                break
            }
            guard pages.count < Self.pageBound else {
                faults.pages.append(CheckFailure(.endlessPages(Self.pageBound), pages.last?.exchange))
                break
            }
            let (page, isMissing) = await context.askRecorded(context.list(cursor: cursor))
            if let failure = page.failure { faults.list.append(failure) }
            if let error = page.error, let reason = context.excuse(error) {
                excuse = .skipped(reason)
            } else if let error = page.error, isMissing {
                excuse = .skipped(.notListed(kind: error.kind.rawValue, message: error.message))
            } else if let error = page.error {
                faults.pages.append(
                    CheckFailure(.refused(kind: error.kind.rawValue, message: error.message), page.exchange))
            }
            guard page.fault == nil, let listing = page.listing else { break }
            pages.append(page)
            next = listing.next
        }
        return (pages, faults, faults.pages.isEmpty ? excuse : nil)
    }

    /// Ids that come twice, or are too long.
    private func repeated(_ pages: [CheckAnswer]) -> [CheckFailure] {
        var failures: [CheckFailure] = []
        var videos: Set<String> = []
        for page in pages {
            guard let listing = page.listing else { continue }
            var chapters: Set<String> = []
            for id in listing.chapters.map(\.id) where !chapters.insert(id).inserted {
                failures.append(CheckFailure(.repeatedID(id), page.exchange))
            }
            let ids = (listing.videos + listing.chapters.flatMap(\.videos)).map(\.id)
            for id in ids where !videos.insert(id).inserted {
                failures.append(CheckFailure(.repeatedID(id), page.exchange))
            }
        }
        return failures
    }

    private func known(_ pages: [CheckAnswer]) async -> CheckVerdict {
        for (index, page) in pages.enumerated() {
            guard let listing = page.listing else { continue }
            // None of these requests had a `known`.
            if listing.unchanged {
                return .failed(index == 0 ? .unchangedWithoutKnown : .unchangedLater, page.exchange)
            }
            if let known = listing.known, known.utf8.count > Self.knownBound {
                return .failed(.longKnown(known.utf8.count), page.exchange)
            }
        }
        guard let known = pages.compactMap({ $0.listing?.known }).last else { return .skipped(.noKnown) }
        let (again, isMissing) = await context.askRecorded(context.list(known: known))
        if let failure = again.failure { return .failed([failure]) }
        if let error = again.error, let reason = context.excuse(error) { return .skipped(reason) }
        if let error = again.error, isMissing {
            return .skipped(.notListed(kind: error.kind.rawValue, message: error.message))
        }
        if let error = again.error {
            return .failed(.refused(kind: error.kind.rawValue, message: error.message), again.exchange)
        }
        if let next = again.listing?.known, next.utf8.count > Self.knownBound {
            return .failed(.longKnown(next.utf8.count), again.exchange)
        }
        return .passed
    }

    private func takeSamples(_ listings: [Listing]) {
        guard context.settings.videos.isEmpty else { return }
        let videos = listings.flatMap { $0.videos + $0.chapters.flatMap(\.videos) }
        let listed = videos.prefix(Self.sampleCount).map { SampleVideo(id: $0.id, parameters: $0.parameters) }
        if !listed.isEmpty { context.samples = Array(listed) }
    }
}
