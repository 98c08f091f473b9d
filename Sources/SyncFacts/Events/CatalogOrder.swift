/// Where each video of a run comes in its catalogs, and what their courses are called; worked out for who asks.
package struct CatalogOrder: Sendable {
    /// Titles of courses by their ids.
    package var courses: [String: String]
    private let list: @Sendable () -> [VideoReference]

    /// `list` gives the videos in catalog order.
    package init(courses: [String: String] = [:], list: @escaping @Sendable () -> [VideoReference] = { [] }) {
        self.courses = courses
        self.list = list
    }

    /// The place of each video.
    package func places() -> [VideoReference: Int] {
        Dictionary(list().enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
