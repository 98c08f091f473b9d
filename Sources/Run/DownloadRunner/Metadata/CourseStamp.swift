/// From what a course's files were last made, as it is stored with the course.
struct CourseStamp {
    /// Differ whenever other files would be made.
    var facts: String
    /// The sum of the known playing times, for the page of all courses: some are read from the media.
    var seconds: Double

    init(facts: String, seconds: Double) {
        self.facts = facts
        self.seconds = seconds
    }

    /// Nil for one of an earlier version.
    init?(text: String) {
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let seconds = Double(String(parts[0])) else { return nil }
        self.init(facts: String(parts[1]), seconds: seconds)
    }

    var text: String { "\(seconds)\n\(facts)" }
}
