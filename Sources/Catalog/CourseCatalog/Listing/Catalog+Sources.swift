extension Catalog {
    /// What became of the courses of a list.
    package struct AddedCourses: Sendable {
        /// Ids of courses of another provider, of another list or of another catalog, which count.
        package var taken: [String] = []
        /// Courses whose ids can't be used.
        package var unusable = 0
        /// Courses with parameters that their provider doesn't take, each with the mistake.
        package var refused: [(course: String, mistake: String)] = []
    }

    /// Adds the courses that a provider lists behind those that are there. A course that the catalog writes stays as it
    /// is written.
    ///
    /// - Parameters:
    ///   - others: Ids of courses that belong to catalogs which aren't read now.
    ///   - mistake: The first mistake in the settings of a course; nil without one.
    package mutating func add(
        _ listing: CourseListing, of source: CourseSource, besides others: Set<String> = [],
        mistake: (Settings) -> String?
    ) -> AddedCourses {
        var added = AddedCourses()
        var known = Dictionary(courses.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for listed in listing.videos {
            guard var course = source.course(listed) else {
                added.unusable += 1
                continue
            }
            if let shard {
                guard shard.has(course: course.id) else { continue }
                course.hasIDInName = true
            }
            if let other = known[course.id] {
                let isWritten = !sourced.contains(other.id)
                if !(isWritten && other.settings.provider?.name == course.settings.provider?.name) {
                    added.taken.append(course.id)
                }
                continue
            }
            if others.contains(course.id) {
                added.taken.append(course.id)
                continue
            }
            if let mistake = mistake(course.settings) {
                added.refused.append((course.id, mistake))
                continue
            }
            known[course.id] = course
            sourced.insert(course.id)
            courses.append(course)
        }
        return added
    }

    /// Notes that the courses of a source aren't known, so that nothing of its file counts as gone.
    package mutating func noteUnknown(_ source: CourseSource) {
        filesWithUnknownCourses.insert(files[source.list.file].path)
    }

    /// Notes that all sources have been asked, or their last lists taken.
    package mutating func finishSources() { courseSources = [] }
}

extension CourseSource {
    /// A course of the list, without videos. Nil if its id with the prefix is longer than 1 KiB.
    package func course(_ listed: CourseListing.Video) -> Course? {
        let id = prefix + listed.id
        guard id.utf8.count <= Self.idBound else { return nil }
        let own = OwnSettings(parameters: listed.parameters)
        return Course(
            id: IdentifierSpelling.normal(id), writtenID: listed.writtenID, title: listed.shownTitle,
            hasOwnTitle: false, description: nil, layout: list.layout, file: list.file, location: list.location,
            ownCover: nil, discovery: discovery,
            settings: own.isEmpty ? list.settings : Settings(own, above: list.settings), videos: list.videos,
            chapters: [])
    }

    /// In bytes, as that of a written one.
    private static let idBound = 1024
}
