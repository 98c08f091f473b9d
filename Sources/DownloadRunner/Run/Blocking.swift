import Dispatch

/// Runs work that blocks on threads of their own, so that it never takes one of the few that Swift tasks run on.
enum Blocking {
    private static let queue = DispatchQueue(label: "blocking", attributes: .concurrent)

    static func run<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
