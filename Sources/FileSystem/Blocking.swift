import Dispatch
import Synchronization

/// Runs work that blocks on threads of their own, so that it never takes one of the few that Swift tasks run on.
package enum Blocking {
    private static let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// `body` is told whether the calling task has been cancelled since; it may ask as often as it likes.
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
