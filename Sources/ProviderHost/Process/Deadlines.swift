/// When the answers to requests are due. All of a plugin have the same time limit, so they fall due in the order in
/// which they were sent.
///
/// The clock stands still while the machine sleeps.
struct Deadlines {
    private var sent: [(wire: Int, due: SuspendingClock.Instant)] = []
    private var head = 0

    /// Notes that a request was sent now and has `limit` to be answered.
    mutating func add(_ wire: Int, after limit: Duration) {
        sent.append((wire, .now + limit))
    }

    /// When the next request that is still open falls due.
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
