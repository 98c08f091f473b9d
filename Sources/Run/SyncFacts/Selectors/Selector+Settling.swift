extension Selector {
    /// Whether it may mean `course/video`: two ids, the second of which isn't a pattern.
    package var mayLackItsChapter: Bool { chapter?.id != nil && video == nil && title == nil }

    /// The selector of videos anywhere in its courses that have the second name of `course/name`.
    package var asVideo: Selector { Selector(course: course, chapter: .anything, video: chapter) }

    /// The settled selector among `videos`: itself, or, if no chapter has the second name in `course/name`, the one
    /// video that has it. Throws if several have it.
    package func settled(among videos: some Sequence<VideoReference>) throws(AmbiguousSelector) -> Selector {
        guard mayLackItsChapter else { return self }
        var found: [VideoReference] = []
        let anywhere = asVideo
        for reference in videos {
            if matches(reference) { return self }
            if anywhere.matches(reference) { found.append(reference) }
        }
        guard found.count > 1 else { return found.first.map { Selector($0) } ?? self }
        throw AmbiguousSelector(selector: self, meanings: found.map { Selector($0) })
    }
}

/// A selector of the form `course/video` that matches several videos.
package struct AmbiguousSelector: Error, Sendable, Equatable {
    package var selector: Selector
    /// The possible meanings.
    package var meanings: [Selector]

    package init(selector: Selector, meanings: [Selector]) {
        self.selector = selector
        self.meanings = meanings
    }
}
