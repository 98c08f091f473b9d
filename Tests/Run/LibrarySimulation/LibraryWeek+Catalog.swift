/// The catalog of a night, as its owner writes it.
extension LibraryWeek {
    /// The courses that are listed on a night, with a video at least.
    func listed(_ night: Int) -> [Course] {
        courses.filter { $0.nights.contains(night) && !videos($0, night).isEmpty }
    }

    /// The videos of a course in their order on a night.
    func videos(_ course: Course, _ night: Int) -> [Video] {
        course.videos.enumerated().filter { $0.element.nights.contains(night) }
            .sorted {
                ($0.offset + $0.element.shifts[night], $0.offset) < ($1.offset + $1.element.shifts[night], $1.offset)
            }
            .map(\.element)
    }

    func title(_ course: Course, _ night: Int) -> String { "Course \(course.id) \(course.titles[night])" }

    /// The text; nil without any course.
    ///
    /// - Parameter lists: by course: the night of the list that is known. Of others it is this one.
    func catalog(_ night: Int, lists: [String: Int] = [:]) -> String? {
        var text = "version: 1\ndefaults: {provider: direct, parameters: {base: http://h}}\ncourses:\n"
        var isEmpty = true
        for course in listed(night) {
            let known = lists[course.id, default: night]
            isEmpty = false
            text += "- id: \(course.id)\n  title: \(title(course, known))\n"
            let videos = videos(course, known)
            text += lines(videos.filter { $0.chapter == nil }, known, night, indent: "  ")
            let chapters = Set(videos.compactMap(\.chapter)).sorted()
            guard !chapters.isEmpty else { continue }
            text += "  chapters:\n"
            for chapter in chapters {
                text += "  - id: k\(chapter)\n    title: Chapter \(chapter)\n"
                text += lines(videos.filter { $0.chapter == chapter }, known, night, indent: "    ")
            }
        }
        return isEmpty ? nil : text
    }

    private func lines(_ videos: [Video], _ known: Int, _ night: Int, indent: String) -> String {
        guard !videos.isEmpty else { return "" }
        return "\(indent)videos:\n"
            + videos.map { video in
                "\(indent)- {id: \(video.id), title: Video \(video.id) \(video.titles[known]), "
                    + "priority: \(video.priority), parameters: {version: \(video.versions[night])}}\n"
            }.joined()
    }

    /// The bytes of a version of a video: no two have the same, wherever they are cut.
    static func bytes(_ course: String, _ video: String, _ version: Int) -> [UInt8] {
        Array(String(repeating: "\(course)/\(video).\(version);", count: 12).utf8)
    }
}
