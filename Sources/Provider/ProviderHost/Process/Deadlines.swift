/// The due times of answers. All requests to a plugin have the same time limit, so they are due in the order in which
/// they were sent.
///
/// The clock stops while the machine sleeps.
struct Deadlines {
    private var sent: [(wire: Int, due: SuspendingClock.Instant)] = []
    private var head = 0

    /// Adds a request sent now, due after `limit`.
    mutating func add(_ wire: Int, after limit: Duration) {
        sent.append((wire, .now + limit))
    }

    /// The due time of the next open request.
    mutating func next(isOpen: (Int) -> Bool) -> SuspendingClock.Instant? {
        while head < sent.count, !isOpen(sent[head].wire) { advance() }
        return head < sent.count ? sent[head].due : nil
    }

    /// Takes out the open requests that are due now.
    mutating func takeDue(isOpen: (Int) -> Bool) -> [Int] {
        let now = SuspendingClock.now
        var due: [Int] = []
        while let time = next(isOpen: isOpen), time <= now {
            due.append(sent[head].wire)
            advance()
        }
        return due
    }

    private mutating func advance() {
        head += 1
        if head > 1024, head * 2 > sent.count {
            sent.removeFirst(head)
            head = 0
        }
    }
}
