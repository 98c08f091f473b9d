package import CourseCatalog

extension Catalog {
    /// The warning for a run that asks no provider about courses that were never listed; nil if there are none.
    package var unknownCourses: SyncWarning? {
        let courses = courses.filter(\.isUnlisted).map(\.id)
        return courses.isEmpty ? nil : .listing(.unknown(courses: courses))
    }
}
