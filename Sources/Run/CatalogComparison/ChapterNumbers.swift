import CourseCatalog
import DownloadStore

/// The numbers of a course's chapters.
struct ChapterNumbers {
    struct Chapter {
        /// In the course.
        var number: Int
        var season: Int
        /// Whether it keeps its season although its source has another.
        var keepsNumber: Bool
    }

    /// In the order of the course.
    private(set) var chapters: [Chapter] = []
    /// The season of the videos directly under the course.
    private(set) var directSeason = 1

    /// - Parameters:
    ///   - recorded: the course's chapters in the state, also those that are gone, by id.
    ///   - isLaidOutAnew: The course has another layout than before: its chapters get their sources' numbers.
    init(_ course: Course, _ record: CourseRecord?, _ recorded: [String: ChapterRecord], isLaidOutAnew: Bool) {
        let present = Set(course.chapters.map(\.id))
        let gone = recorded.values.filter { !present.contains($0.id) }
        let records = course.chapters.map { recorded[$0.id] }
        let keeps = records.map { ($0?.keepsNumber ?? false) && !isLaidOutAnew }
        // Its provider's listing may change their places at any time, also of those that only the catalog names.
        let isByHand = !course.discover
        var goneSeasons = Set(gone.compactMap(\.season))
        let keepsDirectSeason = course.discover && record?.season == 1 && !course.videos.isEmpty
        if keepsDirectSeason, !course.chapters.contains(where: { $0.season == 1 }) { goneSeasons.insert(1) }
        let seasons = Numbering.numbers(
            of: course.chapters.indices.map { index in
                .init(
                    recorded: records[index]?.season, source: course.chapters[index].season, isByHand: isByHand,
                    keepsNumber: keeps[index])
            }, gone: goneSeasons)
        let numbers = Numbering.numbers(
            of: records.map { .init(recorded: $0?.number, source: nil, isByHand: isByHand) },
            gone: Set(gone.compactMap(\.number)), from: course.videos.count + 1)
        chapters = course.chapters.indices.map {
            Chapter(number: numbers[$0], season: seasons[$0], keepsNumber: keeps[$0])
        }
        let isFirst = keepsDirectSeason || (course.discover ? record?.season : nil) ?? (present.isEmpty ? 1 : 0) == 1
        let isTaken = seasons.contains(1) || (record?.season != 1 && gone.contains { $0.season == 1 })
        directSeason = isFirst && !isTaken ? 1 : 0
    }

    /// The season of a chapter by its index, or of the videos directly under the course.
    func season(at chapter: Int) -> Int { chapters.indices.contains(chapter) ? chapters[chapter].season : directSeason }
}
