/// Identifies a row of the `requests` table.
package struct RequestID: RawRepresentable, Sendable, Hashable {
    /// The number in SQLite.
    package var rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }
}
