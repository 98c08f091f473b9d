extension Catalog {
    /// The catalog with titles for videos that have none: by course and video.
    package func addingTitles(_ titles: [String: [String: String]]) -> Catalog {
        guard !titles.isEmpty else { return self }
        var catalog = self
        for (index, course) in courses.enumerated() {
            guard let titles = titles[course.id], course.isUntitled(where: { titles[$0] != nil }) else { continue }
            catalog.courses[index] = course.addingTitles(titles)
        }
        return catalog
    }
}

extension Course {
    private var lists: [VideoList] { [videos] + chapters.map(\.videos) }

    fileprivate func isUntitled(where isTitled: (String) -> Bool) -> Bool {
        lists.contains { $0.contains { $0.title == $0.id && isTitled($0.id) } }
    }

    fileprivate func addingTitles(_ titles: [String: String]) -> Course {
        var builder = VideoTableBuilder(course: location, folder: videos.table.folder)
        var ranges: [Range<Int>] = []
        for list in lists {
            let first = builder.count
            for video in list { builder.append(video, titled: titles[video.id]) }
            ranges.append(first..<builder.count)
        }
        let table = builder.table(isListed: videos.table.isListed)
        var course = self
        course.videos = VideoList(table: table, range: ranges[0])
        for index in chapters.indices {
            course.chapters[index].videos = VideoList(table: table, range: ranges[index + 1])
        }
        return course
    }
}
