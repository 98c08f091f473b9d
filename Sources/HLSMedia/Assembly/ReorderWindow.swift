/// Which segments are asked for, and which are waited for, so that they can be appended strictly in order while several
/// are on their way: a value without I/O.
///
/// A segment that has arrived before its turn is held. How much may be held or on its way is bounded: by count, and by
/// bytes as far as sizes can be foretold from the segments before.
package struct ReorderWindow<Body: Sendable>: Sendable {
    /// A segment that has arrived, with its size in bytes.
    private struct Held: Sendable {
        var body: Body
        var bytes: Int
    }

    /// How many segments there are.
    package let count: Int
    /// The next one to be appended.
    package private(set) var next: Int
    private let width: Int
    private let byteLimit: Int
    private var held: [Int: Held] = [:]
    private var running: Set<Int> = []
    /// All below it have been asked for, but for those given back.
    private var frontier: Int
    private var givenBack: Set<Int> = []
    /// Of what has arrived before its turn.
    package private(set) var heldBytes = 0
    private var largest = 0

    /// - Parameters:
    ///   - next: the first one that is missing.
    ///   - width: how many may be on their way or held; at least 1.
    ///   - byteLimit: how many bytes may be held or foretold; one segment is always allowed.
    package init(count: Int, next: Int, width: Int, byteLimit: Int) {
        self.count = count
        self.next = next
        self.width = max(1, width)
        self.byteLimit = byteLimit
        frontier = next
    }

    /// How many are on their way.
    package var inFlight: Int { running.count }

    /// Whether all have been appended.
    package var isComplete: Bool { next == count }

    /// The segment to ask for now; nil if none may be, or none is left. Not yet noted as asked for.
    package var candidate: Int? {
        let index = givenBack.min() ?? frontier
        guard index < count else { return nil }
        // The one that everything else waits for is asked for in any case.
        if index == next { return index }
        guard index - next < 2 * width, running.count < width else { return nil }
        // Two lead the way until it is known how large they are.
        guard largest > 0 || running.count + held.count < 2 else { return nil }
        return heldBytes + largest * (running.count + 1) <= byteLimit ? index : nil
    }

    /// The candidate has been asked for.
    package mutating func start(_ index: Int) {
        givenBack.remove(index)
        running.insert(index)
        frontier = max(frontier, index + 1)
    }

    /// It has arrived.
    package mutating func arrived(_ index: Int, _ body: Body, bytes: Int) {
        guard running.remove(index) != nil else { return }
        held[index] = Held(body: body, bytes: bytes)
        heldBytes += bytes
        largest = max(largest, bytes)
    }

    /// It has not arrived, and will be asked for again.
    package mutating func failed(_ index: Int) {
        if running.remove(index) != nil { givenBack.insert(index) }
    }

    /// It was larger than there is room for: it will be asked for again, and those that come are expected to be as large.
    package mutating func refused(_ index: Int, bytes: Int) {
        failed(index)
        // Twice, so that what is asked for gets less every time.
        largest = max(largest, bytes > byteLimit / 2 ? byteLimit : bytes * 2)
    }

    /// The next one in order, if it is there. Counts as appended from now on.
    package mutating func pop() -> Body? {
        guard let item = held.removeValue(forKey: next) else { return nil }
        heldBytes -= item.bytes
        next += 1
        return item.body
    }

    /// Nothing is held any more: what had arrived before its turn will be asked for again.
    package mutating func release() {
        givenBack.formUnion(held.keys)
        held = [:]
        heldBytes = 0
    }

    /// What was popped last could not be appended: it is held again.
    package mutating func putBack(_ body: Body, bytes: Int) {
        next -= 1
        held[next] = Held(body: body, bytes: bytes)
        heldBytes += bytes
    }
}
