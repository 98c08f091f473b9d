package import YAMLSource

/// The contents of a run's catalogs: courses in the order in which they are written, those of an included file after
/// those of the file that includes it.
package struct Catalog: Sendable {
    /// The files that were read, in the order of reading.
    package internal(set) var files: [CatalogFile] = []
    /// The paths that were given, when they were read.
    var given: [ResolvedPath] = []
    /// The entries of `include` in these files.
    var includes: [CatalogInclude] = []
    /// All courses, or those of ``shard``, with unique ids.
    package internal(set) var courses: [Course] = []
    /// The number of courses of other shards.
    package internal(set) var otherCourseCount = 0
    /// The videos of those courses.
    package internal(set) var otherVideos = OtherVideos()
    /// What providers are asked for more courses, in the order in which it is written.
    package internal(set) var courseSources: [CourseSource] = []
    /// Ids of the courses that came from one of ``courseSources``.
    var sourced: Set<String> = []
    /// Paths of the files with a source whose courses nobody knows: what isn't in them may only be unknown.
    package internal(set) var filesWithUnknownCourses: Set<String> = []
    /// The shard whose courses these are; nil for all.
    package internal(set) var shard: Shard?
    /// The shard that has its part of each course's videos, where videos are divided; nil for all.
    package private(set) var shardOfVideos: Shard?
    /// Warnings, which stop nothing.
    package internal(set) var warnings: [Diagnostic] = []
    /// The number of videos in the files, without those of `discover` courses.
    package internal(set) var videoCount = 0

    /// Whether a course came from one of the sources.
    package func isFromSource(_ course: Course) -> Bool { sourced.contains(course.id) }

    /// The same, of which a shard has its part of each course's videos.
    package func divided(amongVideosFor shard: Shard) -> Catalog {
        var catalog = self
        catalog.shardOfVideos = shard
        for course in courses {
            for video in ([course.videos] + course.chapters.map(\.videos)).joined()
            where !catalog.has(video.id, in: course.id) {
                video.withIDBytes { catalog.otherVideos.insert($0) }
                video.withSHA256Bytes { if let digest = $0 { catalog.otherVideos.insert(digest) } }
            }
        }
        return catalog
    }

    /// The same, with all videos of its courses.
    package var undivided: Catalog {
        var catalog = self
        catalog.shardOfVideos = nil
        return catalog
    }

    /// Whether the run has a video of one of its courses; not if another shard has it.
    package func has(_ video: String, in course: String) -> Bool {
        guard let shard = shardOfVideos else { return true }
        return Shard.owner(of: video, in: course, among: shard.count) == shard
    }

    /// Whether the run has what belongs to a whole course, such as its cover; not if another shard has it.
    package func hasWhole(_ course: String) -> Bool { shardOfVideos?.has(course: course) ?? true }

    /// Replaces a course by itself with a listing.
    package mutating func replace(_ index: Int, with course: Course) {
        videoCount += course.videoCount - courses[index].videoCount
        courses[index] = course
    }

    /// Notes that the courses are those of one shard. Those that their providers list later are divided in the same
    /// way.
    ///
    /// Another shard may give a folder the name that one of these would have, and no shard sees the others: a course
    /// has its id in the name of its folder if another one has an equal name, or if only its provider knows its title.
    ///
    /// - Parameter names: how many courses of all shards have a name, by its digest.
    mutating func mark(_ part: CatalogPart, names: [Int: Int]) {
        shard = part.shard
        for index in courses.indices {
            let course = courses[index]
            courses[index].hasIDInName =
                names[part.nameDigest(course.title), default: 0] > 1 || (course.discover && !course.hasOwnTitle)
        }
    }
}

/// A catalog file. A course belongs to the file that contains it.
package struct CatalogFile: Sendable, Hashable {
    /// Its name in the state: the absolute path, symbolic links resolved; for other sources, their identity.
    package let path: String
    /// Its path in messages: as given on the command line, or relative to that.
    package let shownPath: String
    /// The file with its text; differs from ``path`` if it isn't a file of the user.
    package let contentPath: String
    /// The catalog's `name`.
    package internal(set) var name: String?
    /// The file while it was read; nil if that isn't certain.
    package internal(set) var stamp: FileStamp?

    /// Whether it is a file of the user, which may change.
    package var isFile: Bool { path == contentPath }
}
