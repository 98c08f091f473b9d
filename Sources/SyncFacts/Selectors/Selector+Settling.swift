extension Selector {
    /// Whether it may mean `course/video`: two ids, the second of which is no pattern.
    package var mayLackItsChapter: Bool { chapter?.id != nil && video == nil && title == nil }

    /// What it picks among `videos`: itself, or, where no chapter has the name that stands second in `course/name`, the one
    /// video that has it. Throws where several have.
    package func settled(among videos: some Sequence<VideoReference>) throws(AmbiguousSelector) -> Selector {
        guard mayLackItsChapter, let chapter, let name = chapter.id else { return self }
        var found: [VideoReference] = []
        let anywhere = Selector(course: course, chapter: .anything, video: Glob(literal: name))
        for reference in videos {
            if matches(reference) { return self }
            if anywhere.matches(reference) { found.append(reference) }
        }
        guard found.count > 1 else { return found.first.map { Selector($0) } ?? self }
        throw AmbiguousSelector(selector: self, meanings: found.map { Selector($0) })
    }
}

/// A selector of the form `course/video` that several videos fit.
package struct AmbiguousSelector: Error, Sendable, Equatable {
    package var selector: Selector
    /// The videos that it may mean.
    package var meanings: [Selector]

    package init(selector: Selector, meanings: [Selector]) {
        self.selector = selector
        self.meanings = meanings
    }
}
