/// Picks videos by the ids of their course, their chapter and themselves.
///
/// Written `course`, `course/chapter`, `course/*/video` or `course/chapter/video`; each part may be a glob (`*`, `?`,
/// `[a-z]`, `[!a-z]`). `/ * ? [ %`, blanks and whatever a shell would touch are percent-encoded inside an id. Ids are
/// compared byte by byte, in their one spelling. A video directly under its course has no chapter: `*` stands for that too, nothing else does.
///
/// `course/video` needs the videos to be known: see ``settled(among:)``. `title:` and a glob picks videos by their titles,
/// whatever their letter case.
package struct Selector: Sendable, Hashable {
    /// Which course.
    package let course: Glob
    /// Which chapter; nil takes all of the course.
    package let chapter: Glob?
    /// Which video; nil takes all of the chapter.
    package let video: Glob?
    /// Which title; nil takes any.
    package let title: TitlePattern?

    /// Reads a selector.
    package init(_ text: String) throws(SelectorError) {
        if text.hasPrefix(TitlePattern.prefix) {
            (course, chapter, video) = (.anything, nil, nil)
            title = try TitlePattern(text.dropFirst(TitlePattern.prefix.count))
            return
        }
        title = nil
        // By scalars: a combining mark behind it must not hide the separator.
        let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(Substring.init)
        guard !text.isEmpty else { throw .empty }
        guard parts.count <= 3 else { throw .tooManyParts(text) }
        guard !parts.contains(where: \.isEmpty) else { throw .emptyPart(text) }
        course = try Glob(parts[0])
        chapter = parts.count > 1 ? try Glob(parts[1]) : nil
        video = parts.count > 2 ? try Glob(parts[2]) : nil
    }

    /// The selector of exactly one video.
    package init(_ reference: VideoReference) {
        course = Glob(literal: reference.course)
        chapter = reference.chapter.map { Glob(literal: $0) } ?? .anything
        video = Glob(literal: reference.video)
        title = nil
    }

    /// The selector of one course.
    package init(course: String) {
        self.course = Glob(literal: course)
        chapter = nil
        video = nil
        title = nil
    }

    /// The selector of one chapter.
    package init(course: String, chapter: String) {
        self.course = Glob(literal: course)
        self.chapter = Glob(literal: chapter)
        video = nil
        title = nil
    }

    /// The selector of all videos with a title.
    init(title: TitlePattern) {
        (course, chapter, video) = (.anything, nil, nil)
        self.title = title
    }

    /// Whether it is about nothing smaller than a course.
    package var isOfCourses: Bool { chapter == nil && title == nil }

    /// Whether it picks a video of these ids, as far as ids say. `chapter` is nil for a video directly under its course.
    private func matches(course: String, chapter: String?, video: String) -> Bool {
        guard self.course.matches(course) else { return false }
        if let wanted = self.chapter {
            if let chapter {
                guard wanted.matches(chapter) else { return false }
            } else if !wanted.isAnything {
                return false
            }
        }
        return self.video?.matches(video) ?? true
    }

    /// Whether it picks this video.
    package func matches(_ reference: VideoReference) -> Bool {
        guard matches(course: reference.course, chapter: reference.chapter, video: reference.video) else {
            return false
        }
        return title?.matches(reference.title) ?? true
    }
}

extension Selector: CustomStringConvertible {
    /// The text that reads back as this selector and survives being pasted into a shell, as long as it is no glob.
    package var description: String {
        if let title { return title.description }
        let text = [course, chapter, video].compactMap { $0?.description }.joined(separator: "/")
        // A course may be called so.
        guard text.hasPrefix(TitlePattern.prefix) else { return text }
        return "title%3A" + text.dropFirst(TitlePattern.prefix.count)
    }
}

/// Why a text is no selector.
package enum SelectorError: Error, Sendable, Equatable {
    case empty
    case emptyPart(String)
    case tooManyParts(String)
    /// A `%` without two hexadecimal digits, or bytes that aren't UTF-8.
    case badPercentEncoding(String)
    /// A `[` without its `]`.
    case openBracket(String)
}
