import DownloadStore
import Synchronization

/// A value that is read when it is first asked for: most requests of a page are for a piece of a file, and need little.
/// Each request has its own, so nobody waits for its lock.
final class OnDemand<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let read: @Sendable () throws(StoreError) -> Value

    init(_ read: @escaping @Sendable () throws(StoreError) -> Value) { self.read = read }

    /// Nil if nobody has asked.
    var ifRead: Value? { value.withLock { $0 } }

    func get() throws(StoreError) -> Value {
        try value.withLock { (value) throws(StoreError) in
            if let value { return value }
            let read = try read()
            value = read
            return read
        }
    }
}
