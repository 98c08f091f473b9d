import YAMLSource

extension Selector {
    /// A similar selector, for one that matches none of `videos`; nil if none is similar.
    ///
    /// Checks the parts from left to right and replaces the first that matches nothing; knows `course/video`, and a
    /// video or chapter id given alone.
    package func suggestion(among videos: some Sequence<VideoReference>) -> Selector? {
        if let title {
            let titles = Set(videos.map(\.title)).sorted()
            let near = title.title.flatMap { NearestName.suggestion(for: $0, among: titles) }
            return near.map { Selector(title: TitlePattern(literal: $0)) }
        }
        var courses: [String] = []
        var chapters: [String] = []
        var names: [String] = []
        var allNames: [String] = []
        var byVideo: VideoReference?
        var byChapter: VideoReference?
        for reference in videos {
            if course.id == reference.video { byVideo = byVideo ?? reference }
            if course.id == reference.chapter { byChapter = byChapter ?? reference }
            if courses.last != reference.course { courses.append(reference.course) }
            guard course.matches(reference.course) else { continue }
            allNames.append(reference.video)
            if chapter?.id == reference.video, video == nil { byVideo = byVideo ?? reference }
            if let name = reference.chapter, chapters.last != name { chapters.append(name) }
            if chapter.map({ $0.isAnything || reference.chapter.map($0.matches) == true }) ?? true {
                names.append(reference.video)
            }
        }
        guard courses.contains(where: course.matches) else {
            if let name = nearest(course, courses) { return replacing(course: name) }
            if let byChapter, let name = byChapter.chapter { return Selector(course: byChapter.course, chapter: name) }
            return byVideo.map { Selector($0) }
        }
        if let byVideo, chapter?.id == byVideo.video { return Selector(byVideo) }
        if let chapter, !chapter.isAnything, !chapters.contains(where: chapter.matches) {
            if let name = nearest(chapter, chapters) { return replacing(chapter: name) }
            // `course/video`, misspelt.
            return video == nil ? nearest(chapter, allNames).map { replacing(chapter: nil, video: $0) } : nil
        }
        guard let video else { return nil }
        return nearest(video, names).map { replacing(chapter: chapter?.id, video: $0) }
    }

    private func nearest(_ part: Glob, _ candidates: [String]) -> String? {
        part.id.flatMap { NearestName.suggestion(for: $0, among: candidates) }
    }

    private func replacing(course: String) -> Selector {
        Selector(course: Glob(literal: course), chapter: chapter, video: video)
    }

    private func replacing(chapter: String) -> Selector {
        Selector(course: course, chapter: Glob(literal: chapter), video: video)
    }

    private func replacing(chapter: String?, video: String) -> Selector {
        Selector(course: course, chapter: chapter.map { Glob(literal: $0) } ?? .anything, video: Glob(literal: video))
    }

    init(course: Glob, chapter: Glob?, video: Glob?) {
        self.course = course
        self.chapter = chapter
        self.video = video
        title = nil
    }
}
