import CourseCatalog
import DownloadStore
import MediaLibrary
import PathLayout
import YAMLSource

/// The folders of a run's courses and chapters by their layouts, and each video's place in them.
///
/// A folder with a correct name stays where it is recorded: `Title [id]` too, as long as another course or chapter has
/// the plain name. Doesn't access the library.
struct FolderPlan {
    /// By index of the course in the catalog.
    private(set) var courses: [String] = []
    /// By course and chapter index. If a layout has no folders for chapters, the course's.
    private(set) var chapters: [[String]] = []
    /// By index of the course: the folder of the videos without a chapter.
    private var withoutChapter: [String] = []
    private(set) var changedCourses: [CourseRecord] = []
    private(set) var changedChapters: [ChapterRecord] = []
    /// As recorded before this run, for covers.
    let recordedCourses: [String: CourseRecord]
    let recordedChapters: [DownloadKey: ChapterRecord]
    /// By index of the course.
    let layouts: [PathLayout]
    /// By index of the course.
    let numbers: [ChapterNumbers]
    /// By index of the course: whether it has another layout than before. In an older state that isn't known.
    let isLaidOutAnew: [Bool]
    /// By index of the course: whether the names of its videos follow the recorded layout.
    let isLaidOutAsBefore: [Bool]
    /// Of all chapters, present and gone.
    private let seasons: [DownloadKey: Int]
    /// What decides which names are given: the records, or those of the register.
    private let namedCourses: [String: CourseRecord]
    private let namedChapters: [DownloadKey: ChapterRecord]

    /// - Parameters:
    ///   - layout: for courses whose catalogs set none.
    ///   - compared: the others stay where they are recorded.
    ///   - register: decides the names and numbers.
    ///   - isOccupied: whether a folder may be another shard's, which this one doesn't know.
    init(
        _ catalog: Catalog, layout: PathLayout, courses known: [String: CourseRecord], chapters: [ChapterRecord],
        compared: ComparedCourses = .all, register: RegisteredNames? = nil,
        isOccupied: (String) -> Bool = { _ in false }
    ) {
        // A folder with a damaged name counts as none.
        let known = known.filter { (try? LibraryPath($0.value.folder)) != nil }
        let chapters = chapters.filter { (try? LibraryPath($0.folder)) != nil }
        recordedCourses = known
        recordedChapters = Self.byKey(chapters)
        let named = register?.chapters ?? chapters
        namedCourses = register?.courses ?? known
        namedChapters = Self.byKey(named)
        let layouts = catalog.courses.map { $0.layout ?? layout }
        let byCourse = Dictionary(grouping: named, by: \.course).mapValues { records in
            Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        }
        let isLaidOutAnew = zip(catalog.courses, layouts).map { course, layout in
            (register?.courses ?? known)[course.id]?.layout.map { $0 != layout.template } ?? false
        }
        isLaidOutAsBefore = zip(catalog.courses, layouts).map { known[$0.id]?.layout == $1.template }
        let numbers = zip(catalog.courses, isLaidOutAnew).map { course, isLaidOutAnew in
            ChapterNumbers(
                course, (register?.courses ?? known)[course.id], byCourse[course.id] ?? [:],
                isLaidOutAnew: isLaidOutAnew)
        }
        var seasons = recordedChapters.compactMapValues(\.season)
        for (course, numbers) in zip(catalog.courses, numbers) {
            for (chapter, given) in zip(course.chapters, numbers.chapters) {
                seasons[DownloadKey(course: course.id, video: chapter.id)] = given.season
            }
        }
        (self.layouts, self.numbers, self.isLaidOutAnew, self.seasons) = (layouts, numbers, isLaidOutAnew, seasons)
        planCourses(catalog, compared, isOccupied)
        planChapters(catalog)
    }

    /// The folder of the video's chapter; without a chapter, the layout's folder for that in the course's.
    func folder(_ slot: CatalogEntries.Slot) -> String {
        slot.chapter < 0 ? withoutChapter[Int(slot.course)] : chapters[Int(slot.course)][Int(slot.chapter)]
    }

    /// The season of a chapter, present or gone; of the videos directly under the course for nil. Nil if nobody knows
    /// it.
    func season(of chapter: String?, in course: String, at index: Int) -> Int? {
        guard let chapter else { return numbers[index].directSeason }
        return seasons[DownloadKey(course: course, video: chapter)]
    }

    /// A video's place. `values` are those of its course, chapter and itself.
    func place(_ slot: CatalogEntries.Slot, _ values: LayoutValues) -> VideoPlace {
        let layout = layouts[Int(slot.course)]
        let folder = Self.path(layout.components[layout.chapterDepth...].dropLast(), in: folder(slot), values)
        guard let file = layout.components.last else { return VideoPlace(folder: folder, name: values.course.id) }
        return VideoPlace(folder: folder, name: LibraryName.stem(file, values))
    }

    // MARK: courses

    private mutating func planCourses(
        _ catalog: Catalog, _ compared: ComparedCourses, _ isOccupied: (String) -> Bool
    ) {
        let inRun = Set(catalog.courses.map(\.id))
        var taken = TakenFolders()
        for record in namedCourses.values where !inRun.contains(record.id) { taken.insert(record.folder) }
        let wanted = catalog.courses.enumerated().map { index, course in
            // Its files move when it is compared: until then the name is its own.
            if !compared.contains(course.id), let record = namedCourses[course.id] { return record.folder }
            let own = layouts[index].components[..<layouts[index].courseDepth]
            let path = Self.path(own, in: "", course.layoutValues(numbers[index]))
            guard course.hasIDInName else { return path }
            let (folder, name) = LibraryPathParts.split(path)
            let distinct = LibraryName.distinct(name, id: LibraryName.tag(of: course.id))
            return folder.isEmpty ? distinct : "\(folder)/\(distinct)"
        }
        for (course, wanted) in zip(catalog.courses, wanted)
        where namedCourses[course.id]?.folder != wanted && isOccupied(wanted) { taken.insert(wanted) }
        let folders = taken.assign(
            zip(catalog.courses, wanted).map { course, wanted in
                (wanted: wanted, recorded: namedCourses[course.id]?.folder, id: course.id)
            })
        for (index, course) in catalog.courses.enumerated() {
            let record = recordedCourses[course.id]
            courses.append(folders[index])
            let fresh = CourseRecord(
                id: course.id, file: catalog.files[course.file].path,
                // A shard's courses have others between them.
                ordinal: catalog.shard == nil ? index : Int(course.location.position.line), title: course.title,
                folder: folders[index], cover: record?.cover, coverFile: record?.coverFile,
                layout: layouts[index].template,
                season: course.videos.isEmpty ? namedCourses[course.id]?.season : numbers[index].directSeason)
            if fresh != record { changedCourses.append(fresh) }
        }
    }

    // MARK: chapters

    private mutating func planChapters(_ catalog: Catalog) {
        for (courseIndex, course) in catalog.courses.enumerated() {
            let layout = layouts[courseIndex]
            let parent = courses[courseIndex]
            let own = layout.components[layout.courseDepth..<layout.chapterDepth]
            let numbers = numbers[courseIndex]
            withoutChapter.append(Self.path(own, in: parent, course.layoutValues(numbers)))
            var folders = course.chapters.map { _ in parent }
            if !own.isEmpty {
                var taken = TakenFolders()
                folders = taken.assign(
                    course.chapters.enumerated().map { index, chapter in
                        let recorded = namedChapters[DownloadKey(course: course.id, video: chapter.id)]?.folder
                        return (
                            wanted: Self.path(own, in: parent, course.layoutValues(numbers, chapter: index)),
                            // It moves with its course.
                            recorded: recorded.flatMap { Self.moved($0, of: namedCourses[course.id], to: parent) },
                            id: chapter.id
                        )
                    })
            }
            for (index, chapter) in course.chapters.enumerated() {
                let record = recordedChapters[DownloadKey(course: course.id, video: chapter.id)]
                let fresh = ChapterRecord(
                    course: course.id, id: chapter.id, title: chapter.title, position: index + 1,
                    folder: folders[index], cover: record?.cover, coverFile: record?.coverFile,
                    number: numbers.chapters[index].number, season: numbers.chapters[index].season,
                    keepsNumber: numbers.chapters[index].keepsNumber)
                if fresh != record { changedChapters.append(fresh) }
            }
            chapters.append(folders)
        }
    }

    private static func byKey(_ chapters: [ChapterRecord]) -> [DownloadKey: ChapterRecord] {
        Dictionary(
            chapters.map { (DownloadKey(course: $0.course, video: $0.id), $0) }, uniquingKeysWith: { first, _ in first }
        )
    }

    private static func moved(_ folder: String, of course: CourseRecord?, to parent: String) -> String? {
        guard let course, folder.hasPrefix(course.folder + "/") else { return nil }
        return parent + folder.dropFirst(course.folder.count)
    }

    private static func path(
        _ components: ArraySlice<PathLayout.Component>, in parent: String, _ values: LayoutValues
    ) -> String {
        ((parent.isEmpty ? [] : [parent]) + components.compactMap { LibraryName.folder($0, values) })
            .joined(separator: "/")
    }
}

/// Folders assigned to courses or chapters, wherever they are.
private struct TakenFolders {
    private var names: [String: TakenNames] = [:]

    mutating func insert(_ path: String) {
        let (folder, name) = LibraryPathParts.split(path)
        names[folder, default: TakenNames()].insert(name)
    }

    /// A folder for each, in order. Correct recorded names are kept before any are assigned; one that has its id
    /// appended gets the plain name as soon as that is free.
    mutating func assign(_ items: [(wanted: String, recorded: String?, id: String)]) -> [String] {
        var given: [Int: String] = [:]
        for (index, item) in items.enumerated() where item.recorded == item.wanted {
            given[index] = item.wanted
            insert(item.wanted)
        }
        for (index, item) in items.enumerated() where given[index] == nil {
            let (folder, name) = LibraryPathParts.split(item.wanted)
            guard let recorded = item.recorded, LibraryPathParts.split(recorded).folder == folder,
                LibraryName.isSame(LibraryPathParts.split(recorded).name, as: name, id: item.id)
            else { continue }
            let isTaken = names[folder]?.isTaken(name) ?? false
            given[index] = isTaken ? recorded : item.wanted
            insert(isTaken ? recorded : item.wanted)
        }
        return items.enumerated().map { index, item in
            if let path = given[index] { return path }
            let (folder, name) = LibraryPathParts.split(item.wanted)
            let taken = names[folder, default: TakenNames()].take(name, id: item.id)
            return folder.isEmpty ? taken : "\(folder)/\(taken)"
        }
    }
}
