/// A queue of requests, first in, first out, from which any can be removed.
struct RequestQueue {
    private var items: [Int] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }

    /// All queued requests, in order.
    var all: ArraySlice<Int> { items[head...] }

    mutating func append(_ request: Int) {
        items.append(request)
    }

    /// Puts a request before all others.
    mutating func prepend(_ request: Int) {
        if head > 0 {
            head -= 1
            items[head] = request
        } else {
            items.insert(request, at: 0)
        }
    }

    mutating func popFirst() -> Int? {
        guard head < items.count else { return nil }
        defer {
            head += 1
            if head > 1024, head * 2 > items.count {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }

    /// Removes a request. Returns whether it was queued.
    mutating func remove(_ request: Int) -> Bool {
        guard let index = items[head...].firstIndex(of: request) else { return false }
        items.remove(at: index)
        return true
    }
}
