import CourseCatalog
import PathLayout

/// The values for the fields of layouts.
extension Course {
    /// For the course's folder.
    var layoutValues: LayoutValues { values(at: -1, provider: firstProvider) }

    /// For the folder of a chapter, by its index.
    func layoutValues(chapter: Int) -> LayoutValues { values(at: chapter, provider: firstProvider) }

    /// For a video.
    func layoutValues(_ slot: CatalogEntries.Slot, _ video: Video) -> LayoutValues {
        var values = values(at: Int(slot.chapter), provider: video.provider.name)
        values.video = .init(
            title: video.title, id: video.id, number: Int(slot.video) + 1, index: Int(slot.ordinal) + 1,
            date: video.date, quality: video.settings.quality.first?.description ?? "")
        return values
    }

    private func values(at chapter: Int, provider: String) -> LayoutValues {
        var values = LayoutValues(
            course: (title, id), season: chapter < 0 ? (chapters.isEmpty ? 1 : 0) : chapter + 1, provider: provider)
        if chapters.indices.contains(chapter) {
            // Videos directly under the course are numbered with its chapters, before them.
            values.chapter = (chapters[chapter].title, chapters[chapter].id, videos.count + chapter + 1)
        }
        return values
    }

    private var firstProvider: String {
        let first = videos.first ?? chapters.lazy.compactMap { $0.videos.first }.first
        return first?.provider.name ?? settings.provider?.name ?? ""
    }
}
