package import DownloadStore

/// Selects videos by the ids of course, chapter and video.
///
/// Written `course`, `course/chapter`, `course/*/video` or `course/chapter/video`; each part may be a glob (`*`, `?`,
/// `[a-z]`, `[!a-z]`). `/ * ? [ %`, blanks and characters special to a shell are percent-encoded inside an id. Ids are
/// compared byte by byte, in their one spelling. A video directly under its course has no chapter: only `*` matches
/// that, too.
///
/// `course/video` can be settled only with known videos: see ``settled(among:)``. `title:` and a glob selects videos by
/// title, ignoring letter case.
package struct Selector: Sendable, Hashable {
    package let course: Glob
    /// The chapter; nil matches all of the course.
    package let chapter: Glob?
    /// The video; nil matches all of the chapter.
    package let video: Glob?
    /// The title; nil matches any.
    package let title: TitlePattern?

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

    package init(course: String) {
        self.course = Glob(literal: course)
        chapter = nil
        video = nil
        title = nil
    }

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

    /// Whether it selects whole courses.
    package var isOfCourses: Bool { chapter == nil && title == nil }

    /// Whether it matches a video of these ids, ignoring titles. `chapter` is nil for a video directly under its
    /// course.
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

    package func matches(_ reference: VideoReference) -> Bool {
        guard matches(course: reference.course, chapter: reference.chapter, video: reference.video) else {
            return false
        }
        return title?.matches(reference.title) ?? true
    }

    /// The place of its videos, as far as SQLite can tell.
    package var place: DownloadFilter.Place {
        var place = DownloadFilter.Place()
        place.course = course.filter
        place.chapter = chapter?.filter
        place.video = video?.filter
        place.asciiTitle = title?.asciiPattern
        return place
    }
}

extension Selector: CustomStringConvertible {
    /// The text that reads back as this selector and can be pasted into a shell unless it is a glob.
    package var description: String {
        if let title { return title.description }
        let text = [course, chapter, video].compactMap { $0?.description }.joined(separator: "/")
        // A course may have such an id.
        guard text.hasPrefix(TitlePattern.prefix) else { return text }
        return "title%3A" + text.dropFirst(TitlePattern.prefix.count)
    }
}

/// The reason why a text isn't a selector.
package enum SelectorError: Error, Sendable, Equatable {
    case empty
    case emptyPart(String)
    case tooManyParts(String)
    /// A `%` without two hexadecimal digits, or bytes that aren't UTF-8.
    case badPercentEncoding(String)
    /// A `[` without its `]`.
    case openBracket(String)
}
