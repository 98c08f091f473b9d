import Synchronization

/// What a test is told, from wherever, in the order in which it came.
package final class Recorded<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    package init() {}

    package var all: [Value] { values.withLock { $0 } }

    package func note(_ value: Value) { values.withLock { $0.append(value) } }
}
