import Foundation
import ProviderHost
import ProviderKit

/// A long life of a process, and its end.
struct LifecycleChecks {
    /// From the end of stdin to TERM, and from TERM to KILL, as in the protocol.
    private static let endOfInput = Duration.milliseconds(1_500)
    private static let terminate = Duration.seconds(2)
    private static let warmUp = 200
    private static let requests = 1_000
    /// Growth that is no leak: a heap's first pages, a pool of connections.
    private static let memoryAllowance = 8 << 20
    private static let descriptorAllowance = 8
    /// Slower answers come from a host, which isn't asked a thousand times.
    private static let quick = Duration.milliseconds(20)

    let context: CheckContext
    /// What ``growth()`` may take.
    let patience: Duration

    /// Whether a thousand requests leave nothing behind.
    func growth() async -> CheckVerdict {
        let deadline = ContinuousClock.now + patience
        let usual = context.usual
        let isQuick = await isQuick(usual)
        let request = isQuick && !context.asksLiveHost ? usual : context.ping()
        let warm = await ask(request, Self.warmUp, deadline)
        guard !context.isSilent else { return .skipped(.silent) }
        guard warm == Self.warmUp else { return .skipped(.tooFewAnswers(warm)) }
        guard let before = usage() else { return .skipped(.notMeasurable) }
        let count = await ask(request, Self.requests, deadline)
        guard !context.isSilent, let after = usage() else { return .skipped(.silent) }
        guard isMore(before, after) else {
            return count == Self.requests ? .passed : .skipped(.tooFewAnswers(warm + count))
        }
        // What only warms up stops growing.
        let more = await ask(request, Self.requests / 2, deadline)
        guard let last = usage() else { return .skipped(.silent) }
        if last.descriptors - after.descriptors > more / 100 + 2 {
            return .failed(.descriptors(before.descriptors, last.descriptors, requests: count + more))
        }
        if last.memory - after.memory > (after.memory - before.memory) / 8 {
            return .failed(.memory(before.memory, last.memory, requests: count + more))
        }
        return .passed
    }

    /// Whether no host is asked for the answer, or only one that counts. The first answer takes the time of a process's
    /// start, too, and on a busy machine any answer may take long.
    private func isQuick(_ request: CheckRequest) async -> Bool {
        for _ in 0..<5 {
            let answer = await context.ask(request)
            guard answer.silence == nil else { return false }
            if answer.duration < Self.quick || context.host != nil { return true }
        }
        return false
    }

    private func isMore(_ before: GroupUsage, _ after: GroupUsage) -> Bool {
        after.memory - before.memory > Self.memoryAllowance
            || after.descriptors - before.descriptors > Self.descriptorAllowance
    }

    private func usage() -> GroupUsage? { context.session().group.flatMap(GroupUsage.of) }

    /// Returns how many were answered before the deadline.
    private func ask(_ request: CheckRequest, _ count: Int, _ deadline: ContinuousClock.Instant) async -> Int {
        let batch = max(1, min(context.plugin.manifest.concurrency, 16))
        var answered = 0
        while answered < count, ContinuousClock.now < deadline {
            let answers = await context.askAll(Array(repeating: request, count: min(batch, count - answered)))
            if answers.contains(where: { $0.silence != nil }) { return answered }
            answered += answers.count
        }
        return answered
    }

    /// Whether it ends when its stdin closes.
    func endOfInput() async -> CheckVerdict {
        _ = await context.ask(context.ping())
        let session = context.session()
        session.closeInput()
        let hasEnded = await session.hasEnded(within: Self.endOfInput)
        await context.endSession(grace: .zero)
        return hasEnded ? .passed : .failed(.outlivesInput(Self.endOfInput))
    }

    /// Whether it ends on TERM while its stdin is open.
    func terminate() async -> CheckVerdict {
        _ = await context.ask(context.ping())
        let session = context.session()
        session.signal(SIGTERM)
        let hasEnded = await session.hasEnded(within: Self.terminate)
        await context.endSession(grace: .zero)
        return hasEnded ? .passed : .failed(.outlivesTerminate(Self.terminate))
    }
}
