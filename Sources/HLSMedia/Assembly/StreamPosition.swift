/// How far a stream has been joined.
package struct StreamPosition: Sendable, Hashable, Codable {
    /// The first segment that is missing, counted from 0.
    package var next: Int
    /// The length of the partial that all segments before it make.
    package var bytes: Int64

    package init(next: Int = 0, bytes: Int64 = 0) {
        self.next = next
        self.bytes = bytes
    }
}
