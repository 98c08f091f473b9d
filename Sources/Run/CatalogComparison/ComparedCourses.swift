/// The courses that a comparison judges. A run whose providers still list some of its courses compares the others
/// first.
package enum ComparedCourses: Sendable, Equatable {
    /// All of them, and those that are in no catalog any more.
    case all
    /// Every course except these.
    case without(Set<String>)
    case only(Set<String>)

    /// Whether it judges a course.
    package func contains(_ course: String) -> Bool {
        switch self {
        case .all: true
        case .without(let courses): !courses.contains(course)
        case .only(let courses): courses.contains(course)
        }
    }
}
