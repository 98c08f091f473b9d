/// Decides which segments are requested and which are waited for, so that they can be appended strictly in order while
/// several are in transfer: a value without I/O.
///
/// A segment that has arrived before its turn is held. The held and requested segments are bounded: by count, and by
/// bytes as far as sizes can be predicted from earlier segments.
package struct ReorderWindow<Body: Sendable>: Sendable {
    /// A segment that has arrived, with its size in bytes.
    private struct Held: Sendable {
        var body: Body
        var bytes: Int
    }

    /// The number of segments.
    package private(set) var count: Int
    /// The next one to append.
    package private(set) var next: Int
    private let width: Int
    private let byteLimit: Int
    private var held: [Int: Held] = [:]
    private var running: Set<Int> = []
    /// All before it have been requested, except for those given back.
    private var frontier: Int
    private var givenBack: Set<Int> = []
    /// The bytes of held segments.
    package private(set) var heldBytes = 0
    private var largest = 0

    /// - Parameters:
    ///   - next: the first missing one.
    ///   - width: the limit on requested and held ones; at least 1.
    ///   - byteLimit: the limit on held and predicted bytes; one segment is always allowed.
    package init(count: Int, next: Int, width: Int, byteLimit: Int) {
        self.count = count
        self.next = next
        self.width = max(1, width)
        self.byteLimit = byteLimit
        frontier = next
    }

    /// There are more segments.
    package mutating func grow(to count: Int) { self.count = max(self.count, count) }

    /// Those that have arrived before their turn.
    package var waiting: Set<Int> { Set(held.keys) }

    /// The number in transfer.
    package var inFlight: Int { running.count }

    /// Whether all have been appended.
    package var isComplete: Bool { next == count }

    /// The segment to request now; nil if none is allowed, or none is left. Not marked as requested yet.
    package var candidate: Int? {
        let index = givenBack.min() ?? frontier
        guard index < count else { return nil }
        // The one that all others wait for is always requested.
        if index == next { return index }
        guard index - next < 2 * width, running.count < width else { return nil }
        // Only two are requested until their size is known.
        guard largest > 0 || running.count + held.count < 2 else { return nil }
        return heldBytes + largest * (running.count + 1) <= byteLimit ? index : nil
    }

    /// The candidate has been requested.
    package mutating func start(_ index: Int) {
        givenBack.remove(index)
        running.insert(index)
        frontier = max(frontier, index + 1)
    }

    package mutating func arrived(_ index: Int, _ body: Body, bytes: Int) {
        guard running.remove(index) != nil else { return }
        held[index] = Held(body: body, bytes: bytes)
        heldBytes += bytes
        largest = max(largest, bytes)
    }

    /// It has not arrived, and will be requested again.
    package mutating func failed(_ index: Int) {
        if running.remove(index) != nil { givenBack.insert(index) }
    }

    /// It was larger than the available room: it will be requested again, and later ones are expected to be as large.
    package mutating func refused(_ index: Int, bytes: Int) {
        failed(index)
        // Doubled, so that fewer are requested each time.
        largest = max(largest, bytes > byteLimit / 2 ? byteLimit : bytes * 2)
    }

    /// The next one in order, if it has arrived. Counts as appended from now on.
    package mutating func pop() -> Body? {
        guard let item = held.removeValue(forKey: next) else { return nil }
        heldBytes -= item.bytes
        next += 1
        return item.body
    }

    /// Drops all held segments: they will be requested again.
    package mutating func release() {
        givenBack.formUnion(held.keys)
        held = [:]
        heldBytes = 0
    }

    /// The last popped one could not be appended: it is held again.
    package mutating func putBack(_ body: Body, bytes: Int) {
        next -= 1
        held[next] = Held(body: body, bytes: bytes)
        heldBytes += bytes
    }
}
