import CourseCatalog
import PathLayout

/// The values for the fields of layouts.
extension Course {
    /// For the course's folder, and for those of the videos without a chapter.
    func layoutValues(_ numbers: ChapterNumbers) -> LayoutValues { values(-1, numbers, provider: firstProvider) }

    /// For the folder of a chapter, by its index.
    func layoutValues(_ numbers: ChapterNumbers, chapter: Int) -> LayoutValues {
        values(chapter, numbers, provider: firstProvider)
    }

    /// For a video.
    func layoutValues(
        _ chapters: ChapterNumbers, at slot: CatalogEntries.Slot, video: Video, numbers: VideoNumbers.Numbers
    ) -> LayoutValues {
        var values = values(Int(slot.chapter), chapters, provider: video.provider.name)
        values.video = .init(
            title: video.settings.stripsNumbers ? TitleNumber.left(outOf: video.title) : video.title, id: video.id,
            number: numbers.number, index: numbers.index, date: video.date,
            quality: video.settings.quality.first?.description ?? "")
        return values
    }

    private func values(_ chapter: Int, _ numbers: ChapterNumbers, provider: String) -> LayoutValues {
        var values = LayoutValues(course: (title, id), season: numbers.season(at: chapter), provider: provider)
        if chapters.indices.contains(chapter) {
            let (title, id) = (chapters[chapter].title, chapters[chapter].id)
            values.chapter = (
                chapters[chapter].settings.stripsNumbers ? TitleNumber.left(outOf: title) : title, id,
                numbers.chapters[chapter].number
            )
        }
        return values
    }

    private var firstProvider: String {
        let first = videos.first ?? chapters.lazy.compactMap { $0.videos.first }.first
        return first?.provider.name ?? settings.provider?.name ?? ""
    }
}

extension Video {
    /// Whether its title begins with a number that names may leave out.
    var hasNumberInTitle: Bool {
        withTitleBytes(TitleNumber.mayBegin) && TitleNumber.left(outOf: title) != title
    }
}
