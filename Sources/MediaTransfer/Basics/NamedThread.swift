import Foundation

/// A thread that debuggers and `top` show by its name.
enum NamedThread {
    /// Starts it. At most 15 bytes of the name show on Linux.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // Once it runs: a name that is given before doesn't reach the system on Linux.
            Thread.current.name = name
            body()
        }
        thread.start()
    }
}
