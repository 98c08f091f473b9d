import Synchronization

/// The values that a test gets, from any thread, in order.
package final class Recorded<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    package init() {}

    package var all: [Value] { values.withLock { $0 } }

    package func note(_ value: Value) { values.withLock { $0.append(value) } }
}
