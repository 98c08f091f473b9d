package import CourseCatalog
package import DownloadStore
package import Foundation
import MediaLibrary
package import SyncFacts

/// The names and numbers that the register of a library gives, whose videos are divided among shards: no shard has the
/// rows of all videos of a course, and these are what decides which name is free, and which number.
package struct RegisteredNames: Sendable {
    struct Video {
        /// The path of its file, without the extension.
        var stem: String
        var numbers: VideoNumbers.Numbers
    }

    let courses: [String: CourseRecord]
    let chapters: [ChapterRecord]
    /// By the number of the slot in the run's catalog; nil for a video that isn't registered.
    let videos: [Video?]
    /// What is wrong with the catalogs, by what all shards know: nothing was registered then.
    package let errors: [SyncProblem]
    /// Courses and chapters in the register that are no longer listed.
    package let unlisted: UnlistedFolders

    /// Gives all videos of these courses, whichever shard has them, their names and numbers in the register, and reads
    /// those of the videos that the run has.
    ///
    /// - Parameter titles: which providers have given videos, by course and video.
    package init(
        of catalog: Catalog, in register: DownloadStore, titles: [String: [String: String]], by options: SyncOptions,
        at now: Date, compared: ComparedCourses = .all
    ) throws {
        try register.downloads.give(titles)
        var reconciler = try Reconciler(
            catalog: catalog.undivided.addingTitles(try register.downloads.givenTitles()), store: register, only: [],
            now: now, layout: options.layout, lossGuard: nil, compared: compared, library: LibraryView(nil))
        reconciler.namesOnly = true
        let plan = try reconciler.run()
        if plan.errors.isEmpty { try register.catalogs.apply(plan.changes) }
        (errors, unlisted) = (plan.errors, plan.unlisted)
        // A folder with a damaged name counts as none.
        courses = try register.catalogs.courses().filter { (try? LibraryPath($0.value.folder)) != nil }
        chapters = try register.catalogs.chapters().filter { (try? LibraryPath($0.folder)) != nil }
        videos = try Self.videos(register, CatalogEntries(catalog))
    }

    private static func videos(
        _ register: DownloadStore, _ entries: consuming CatalogEntries
    ) throws(StoreError) -> [Video?] {
        var entries = entries
        var videos = [Video?](repeating: nil, count: entries.slots.count)
        var guess = 0
        try register.downloads.scan { row in
            guard let number = entries.find(row, guess: guess), let stem = row.string(.stem) else { return }
            guess = number + 1
            videos[number] = Video(
                stem: stem,
                numbers: .init(
                    number: row.number(.number) ?? 0, index: row.number(.numberInCourse) ?? 0,
                    keepsNumber: row.integer(.keepsNumber) != 0))
        }
        return videos
    }

    func place(_ slot: Int) -> VideoPlace? {
        videos[slot].map { video in
            let (folder, name) = LibraryPathParts.split(video.stem)
            return VideoPlace(folder: folder, name: name)
        }
    }
}
