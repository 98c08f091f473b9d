import ProviderHost
import ProviderKit

/// Credentials that an answer replaces.
struct RenewalChecks {
    /// As many find out whether each of them renews.
    private static let bound = 4

    let context: CheckContext

    /// Whether one of several requests renews the credentials, and whether the new ones also come with an error.
    func run() async -> CheckVerdict {
        guard let request = context.renewal.request else { return .skipped(.neverRenews) }
        context.renewal.keepsOutdated = true
        defer { context.renewal.keepsOutdated = false }
        let (alone, writes) = await ask([request])
        guard alone[0].renewed != nil else { return .skipped(.neverRenews) }
        let count = min(context.plugin.manifest.concurrency, Self.bound)
        if count > 1 {
            let (together, all) = await ask(Array(repeating: request, count: count))
            if let fault = fault(together, writes: all, of: writes) {
                return .failed(fault, together.last?.exchange)
            }
        }
        // Only a host tells whether a request that is refused has renewed them.
        guard context.host != nil else { return .passed }
        let sample = context.samples.first { $0.expectation?.isRefusal == true } ?? SampleVideo(id: "no-such-video")
        let old = request.params["credentials"] ?? .null
        let (refused, some) = await ask([context.resolve(sample).with("credentials", old)])
        if some > 0, refused[0].error != nil, refused[0].renewed == nil {
            return .failed(.renewalLost, refused[0].exchange)
        }
        return .passed
    }

    /// Whether it leaves the credentials alone where a request says so. One that doesn't know that is no failure.
    func turns() async -> CheckVerdict {
        guard let request = context.renewal.request else { return .skipped(.neverRenews) }
        context.renewal.keepsOutdated = true
        defer { context.renewal.keepsOutdated = false }
        let (answers, writes) = await ask([request.with("renew", false)])
        if let silence = answers[0].silence { return .failed(silence, answers[0].exchange) }
        if answers[0].renewed != nil { return .skipped(.renewsOutOfTurn) }
        guard let error = answers[0].error else { return .passed }
        guard error.kind == .renewalNeeded else {
            // Other errors aren't about credentials.
            guard error.kind == .authRequired else { return .passed }
            return .failed(.refused(kind: error.kind.rawValue, message: error.message), answers[0].exchange)
        }
        return writes > 0 ? .failed(.renewalLost, answers[0].exchange) : .passed
    }

    private func fault(_ answers: [CheckAnswer], writes: Int, of alone: Int) -> ConformanceFault? {
        if let silence = answers.lazy.compactMap(\.silence).first { return silence }
        var renewed: [JSONValue] = []
        for fresh in answers.compactMap(\.renewed) where !renewed.contains(fresh) { renewed.append(fresh) }
        if renewed.isEmpty { return .renewalLost }
        if renewed.count > 1 { return .renewedByMany(renewed.count) }
        if alone > 0, writes > alone { return .renewedByMany(writes / alone) }
        let refused = answers.lazy.compactMap(\.error).first { $0.kind == .authRequired }
        return refused.map { .refused(kind: $0.kind.rawValue, message: $0.message) }
    }

    /// The answers of a new process to requests that are in flight together, and how often the host was written to.
    private func ask(_ requests: [CheckRequest]) async -> ([CheckAnswer], writes: Int) {
        await context.endSession()
        let before = context.host?.writes() ?? 0
        let answers = await context.askAll(requests)
        return (answers, (context.host?.writes() ?? 0) - before)
    }
}
