/// An item of `courses_of`: a provider is asked for the courses that the user has there.
package struct CourseSource: Sendable {
    /// The list, which is asked for, believed and kept as that of a course is, with courses in the place of videos. Its
    /// settings, with a provider, are inherited by the courses.
    package let list: Course
    /// Comes before the ids of the courses.
    package let prefix: String
    /// What each course takes of its own listing.
    package let discovery: Discovery
}
