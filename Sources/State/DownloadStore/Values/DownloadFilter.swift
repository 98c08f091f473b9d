/// Narrows a query of downloads, as far as SQLite can tell: it may let too many through, never too few.
package struct DownloadFilter: Sendable, Equatable {
    /// The ids that a column may have.
    package enum Name: Sendable, Equatable {
        case exactly(String)
        case beginning(with: String)
    }

    /// Some videos of a catalog. What is nil may be anything.
    package struct Place: Sendable, Equatable {
        package var course: Name?
        package var chapter: Name?
        package var video: Name?
        /// A pattern of SQLite's LIKE, with `\` as its escape, for titles in ASCII; others are let through.
        package var asciiTitle: String?

        package init() {}
    }

    /// It is in one of these places; empty for all.
    package var places: [Place]
    /// Only downloads in these states; nil allows any.
    package var states: Set<DownloadState>?
    /// Whether those with a missing sidecar are let through, whatever their states are.
    package var takesMissingSidecars: Bool

    package init(places: [Place] = [], states: Set<DownloadState>? = nil, takesMissingSidecars: Bool = false) {
        self.places = places
        self.states = states
        self.takesMissingSidecars = takesMissingSidecars
    }

    /// The videos of a course.
    package init(course: String) {
        var place = Place()
        place.course = .exactly(Identifier.normalized(course))
        self.init(places: [place])
    }
}
