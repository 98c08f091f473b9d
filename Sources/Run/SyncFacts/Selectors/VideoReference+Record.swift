package import DownloadStore

extension VideoReference {
    /// Of a row.
    package init(_ record: DownloadRecord) {
        self.init(
            course: record.key.course, chapter: record.catalog.chapter, video: record.key.video,
            title: record.catalog.title)
    }
}
