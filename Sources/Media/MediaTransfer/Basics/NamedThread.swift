import Foundation

/// A thread with a name for debuggers and `top`.
enum NamedThread {
    /// Starts it. Linux shows at most 15 bytes of the name.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // Set by the running thread: on Linux a name set before doesn't reach the system.
            Thread.current.name = name
            body()
        }
        thread.start()
    }
}
