/// The progress of joining a stream.
package struct StreamPosition: Sendable, Hashable, Codable {
    /// The index of the first missing segment, from 0.
    package var next: Int
    /// The length of the partial with all segments before it.
    package var bytes: Int64

    package init(next: Int = 0, bytes: Int64 = 0) {
        self.next = next
        self.bytes = bytes
    }
}
