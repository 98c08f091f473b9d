/// Picks videos by the ids of their course, their chapter and themselves.
///
/// Written `course`, `course/chapter`, `course/*/video` or `course/chapter/video`; each part may be a glob (`*`, `?`,
/// `[a-z]`, `[!a-z]`). `/ * ? [ %`, blanks and whatever a shell would touch are percent-encoded inside an id. Ids are
/// compared byte by byte, in their one spelling. A video directly under its course has no chapter: `*` stands for that too, nothing else does.
package struct Selector: Sendable, Hashable {
    /// Which course.
    package let course: Glob
    /// Which chapter; nil takes all of the course.
    package let chapter: Glob?
    /// Which video; nil takes all of the chapter.
    package let video: Glob?

    /// Reads a selector.
    package init(_ text: String) throws(SelectorError) {
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
    }

    /// The selector of one course.
    package init(course: String) {
        self.course = Glob(literal: course)
        chapter = nil
        video = nil
    }

    /// The selector of one chapter.
    package init(course: String, chapter: String) {
        self.course = Glob(literal: course)
        self.chapter = Glob(literal: chapter)
        video = nil
    }

    /// Whether it picks this video. `chapter` is nil for a video directly under its course.
    package func matches(course: String, chapter: String?, video: String) -> Bool {
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
        matches(course: reference.course, chapter: reference.chapter, video: reference.video)
    }
}

extension Selector: CustomStringConvertible {
    /// The text that reads back as this selector and survives being pasted into a shell, as long as it is no glob.
    package var description: String {
        [course, chapter, video].compactMap { $0?.description }.joined(separator: "/")
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
