import Dispatch
import Synchronization

/// Runs blocking work on its own threads, so that it never occupies one of the few that run Swift tasks.
package enum Blocking {
    private static let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// `body` gets a function that returns whether the calling task has been cancelled; it may call it as often as it
    /// likes.
    package static func run<T: Sendable>(_ body: @escaping @Sendable (_ shouldStop: () -> Bool) -> T) async -> T {
        let flag = Flag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async {
                    continuation.resume(returning: body { flag.isSet.load(ordering: .relaxed) })
                }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .relaxed)
        }
    }
}
