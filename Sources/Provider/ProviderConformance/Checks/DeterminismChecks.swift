import ProviderHost
import ProviderKit

/// What an answer mustn't depend on.
struct DeterminismChecks {
    let context: CheckContext

    /// Whether a provider that says that it ignores courses does.
    func ignoresCourse() async -> CheckVerdict {
        guard context.plugin.manifest.ignoresCourse else { return .skipped(.dependsOnCourse) }
        guard let request = context.resolved.first?.request else { return .skipped(context.nothingResolved) }
        let first = await context.ask(request)
        let second = await context.ask(request)
        guard first.signature == second.signature else { return .skipped(.answersVary) }
        let place: JSONValue = ["id": "elsewhere", "title": "Elsewhere"]
        let other = await context.ask(request.with("course", place).with("chapter", place))
        return other.signature == first.signature ? .passed : .failed(.dependsOnCourse, other.exchange)
    }

    /// Whether a new process answers as the first one did.
    func selfContained(cursor: String?) async -> CheckVerdict {
        await context.endSession()
        var requests: [CheckRequest] = []
        if let cursor { requests.append(context.list(cursor: cursor)) }
        if let resolved = context.resolved.first { requests.append(resolved.request) }
        guard !requests.isEmpty else { return .skipped(context.nothingResolved) }
        for request in requests {
            let answered = await context.ask(request)
            if let failure = answered.failure { return .failed([failure]) }
            if let error = answered.error, let reason = context.excuse(error) { return .skipped(reason) }
            if let error = answered.error { return .failed(.needsEarlierRequest(error.message), answered.exchange) }
            // Of two requests the second has a process of its own, too.
            await context.endSession()
        }
        return .passed
    }
}
