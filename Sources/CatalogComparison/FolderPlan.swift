import CourseCatalog
import DownloadStore
import MediaLibrary

/// The folders of a run's courses and chapters: those recorded stay unless their title or position changed.
struct FolderPlan {
    /// By index of the course in the catalog.
    private(set) var courses: [String] = []
    /// By course and chapter index.
    private(set) var chapters: [[String]] = []
    private(set) var changedCourses: [CourseRecord] = []
    private(set) var changedChapters: [ChapterRecord] = []
    /// As recorded before this run, for covers.
    let recordedCourses: [String: CourseRecord]
    let recordedChapters: [DownloadKey: ChapterRecord]

    init(_ catalog: Catalog, courses known: [String: CourseRecord], chapters: [ChapterRecord]) {
        // A folder whose name is damaged is none.
        let known = known.filter { (try? LibraryPath($0.value.folder)) != nil }
        let chapters = chapters.filter { (try? LibraryPath($0.folder)) != nil }
        recordedCourses = known
        recordedChapters = Dictionary(
            chapters.map { (DownloadKey(course: $0.course, video: $0.id), $0) }, uniquingKeysWith: { first, _ in first }
        )
        planCourses(catalog)
        planChapters(catalog)
    }

    func folder(_ slot: CatalogEntries.Slot) -> String {
        slot.chapter < 0 ? courses[Int(slot.course)] : chapters[Int(slot.course)][Int(slot.chapter)]
    }

    private mutating func planCourses(_ catalog: Catalog) {
        let inRun = Set(catalog.courses.map(\.id))
        var names = FolderNames()
        var kept: [Int: String] = [:]
        for record in recordedCourses.values where !inRun.contains(record.id) { names.insert(record.folder) }
        for (index, course) in catalog.courses.enumerated() {
            guard let record = recordedCourses[course.id] else { continue }
            let wanted = LibraryName.course(course.title)
            if record.title == course.title || LibraryName.isSame(record.folder, as: wanted, id: course.id) {
                kept[index] = record.folder
                names.insert(record.folder)
            }
        }
        for (index, course) in catalog.courses.enumerated() {
            let record = recordedCourses[course.id]
            let folder = kept[index] ?? names.take(LibraryName.course(course.title), id: course.id)
            courses.append(folder)
            let fresh = CourseRecord(
                id: course.id, file: catalog.files[course.file].path, ordinal: index, title: course.title,
                folder: folder, cover: record?.cover, coverFile: record?.coverFile)
            if fresh != record { changedCourses.append(fresh) }
        }
    }

    private mutating func planChapters(_ catalog: Catalog) {
        for (courseIndex, course) in catalog.courses.enumerated() {
            let parent = courses[courseIndex]
            let records = course.chapters.map { recordedChapters[DownloadKey(course: course.id, video: $0.id)] }
            var kept: [Int: String] = [:]
            for (index, chapter) in course.chapters.enumerated() {
                guard let record = records[index] else { continue }
                let name = LibraryPathParts.split(record.folder).name
                if (record.title == chapter.title && record.position == index + 1)
                    || LibraryName.isSame(
                        name, as: LibraryName.chapter(chapter.title, position: index + 1), id: chapter.id)
                {
                    kept[index] = name
                }
            }
            // Names are held against each other only where one has to be found.
            var names = FolderNames()
            if kept.count < records.count { for name in kept.values { names.insert(name) } }
            var folders: [String] = []
            for (index, chapter) in course.chapters.enumerated() {
                let record = records[index]
                let name =
                    kept[index]
                    ?? names.take(LibraryName.chapter(chapter.title, position: index + 1), id: chapter.id)
                let folder = "\(parent)/\(name)"
                folders.append(folder)
                let fresh = ChapterRecord(
                    course: course.id, id: chapter.id, title: chapter.title, position: index + 1, folder: folder,
                    cover: record?.cover, coverFile: record?.coverFile)
                if fresh != record { changedChapters.append(fresh) }
            }
            chapters.append(folders)
        }
    }
}
