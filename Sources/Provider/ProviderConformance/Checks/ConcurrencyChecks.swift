import ProviderHost
import ProviderKit

/// Several requests at once.
struct ConcurrencyChecks {
    /// As many are enough to find what is mixed up.
    private static let bound = 16

    let context: CheckContext

    /// Whether each of several open requests gets its own answer.
    func run() async -> CheckVerdict {
        let bound = context.settings.isRealHost ? CheckPace.burst : Self.bound
        let count = min(context.plugin.manifest.concurrency, bound)
        guard count > 1 else { return .skipped(.oneAtATime) }
        let requests = (0..<count).map { request($0) }
        var alone: [CheckAnswer] = []
        // Among samples that come round again, the same answer is right twice.
        let different = context.resolved.count > 1 ? min(context.resolved.count, count) : count
        for request in requests.prefix(min(different, 4)) { alone.append(await context.ask(request)) }
        let together = await context.askAll(requests)
        let failures = together.compactMap { answered in
            answered.silence.map { CheckFailure($0, answered.exchange) }
        }
        if !failures.isEmpty { return CheckVerdict(failures) }
        // Another's answer is recognized if answers are equal each time and different for each video.
        let expected = alone.map { $0.resolution?.url }
        guard expected.allSatisfy({ $0 != nil }), Set(expected).count == expected.count else { return .passed }
        for (index, answered) in together.prefix(alone.count).enumerated() {
            let url = answered.resolution?.url
            if url != expected[index], expected.contains(url) { return .failed(.mixedUp, answered.exchange) }
        }
        return .passed
    }

    private func request(_ index: Int) -> CheckRequest {
        if context.resolved.count > 1 { return context.resolved[index % context.resolved.count].request }
        let usual = context.usual
        let id = usual.params["video"]?["id"]?.string ?? ""
        return index == 0 ? usual : usual.video("\(id)-\(index)")
    }
}
