/// The position of each video of a run in its catalogs, and the titles of their courses; computed on demand.
package struct CatalogOrder: Sendable {
    /// Titles of courses by their ids.
    package var courses: [String: String]
    private let list: @Sendable () -> [VideoReference]

    /// `list` gives the videos in catalog order.
    package init(courses: [String: String] = [:], list: @escaping @Sendable () -> [VideoReference] = { [] }) {
        self.courses = courses
        self.list = list
    }

    /// The position of each video.
    package func places() -> [VideoReference: Int] {
        Dictionary(list().enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
