import ProviderHost
import ProviderKit

/// What an answer mustn't depend on.
struct SamenessChecks {
    let bench: Bench

    /// Whether a provider that says that it ignores courses does.
    func ignoresCourse() async -> CheckVerdict {
        guard bench.plugin.manifest.ignoresCourse else { return .skipped(.dependsOnCourse) }
        guard let request = bench.resolved.first?.request else { return .skipped(bench.nothingResolved) }
        let first = await bench.ask(request)
        let second = await bench.ask(request)
        guard first.signature == second.signature else { return .skipped(.answersVary) }
        let place: JSONValue = ["id": "elsewhere", "title": "Elsewhere"]
        let other = await bench.ask(request.with("course", place).with("chapter", place))
        return other.signature == first.signature ? .passed : .failed(.dependsOnCourse, other.exchange)
    }

    /// Whether a new process answers as the first one did.
    func selfContained(cursor: String?) async -> CheckVerdict {
        await bench.endSession()
        var requests: [RequestText] = []
        if let cursor { requests.append(bench.list(cursor: cursor)) }
        if let resolved = bench.resolved.first { requests.append(resolved.request) }
        guard !requests.isEmpty else { return .skipped(bench.nothingResolved) }
        for request in requests {
            let answered = await bench.ask(request)
            if let failure = answered.failure { return .failed([failure]) }
            if let error = answered.error { return .failed(.needsEarlierRequest(error.message), answered.exchange) }
            // Of two requests the second has a process of its own, too.
            await bench.endSession()
        }
        return .passed
    }
}
