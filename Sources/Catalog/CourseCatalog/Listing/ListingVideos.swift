import FileSystem
import YAMLSource

/// The videos of a listing in order, in a few blocks of memory: fixed-size records, and the bytes of their texts. A
/// listing of 200,000 videos doesn't need a million objects; the value of a video is made only on request.
package struct ListingVideos: Sendable {
    /// One video, without a reference. Negative counts and a time that is no number: there is none.
    private struct Record {
        /// The block with its texts, one after the other: id, written id, title, description, cover, date, checksum.
        var block: UInt32 = 0
        var offset: UInt32 = 0
        var id: Int32 = 0
        var writtenID: Int32 = -1
        var title: Int32 = -1
        var summary: Int32 = -1
        var cover: Int32 = -1
        var date: Int8 = -1
        var digest: Int8 = -1
        var chapter: Int32 = -1
        var episode: Int32 = -1
        var rest: Int32 = -1
        var publishedAt = Double.nan
        var duration = Double.nan
        var size = Int64.min
    }

    /// What few videos have.
    private struct Rest {
        var provider: String?
        var parameters: [YAMLMapping.Entry]
        var subtitleFiles: [SubtitleFile]
        var attachments: [Attachment]
        var checksums: PublishedChecksums?
        var availableAt: Double?

        /// Nil if the video has none of it.
        init?(_ video: CourseListing.Video) {
            provider = video.provider
            parameters = video.parameters
            subtitleFiles = video.subtitleFiles
            attachments = video.attachments
            checksums = video.checksums
            availableAt = video.availableAt
            if provider == nil, parameters.isEmpty, subtitleFiles.isEmpty, attachments.isEmpty, checksums == nil,
                availableAt == nil
            {
                return nil
            }
        }
    }

    private static let blockSize = 256 << 10
    private var records: [Record] = []
    private var blocks: [[UInt8]] = []
    private var rests: [Rest] = []

    /// None.
    package init() {}

    package init(_ videos: some Sequence<CourseListing.Video>) { append(contentsOf: videos) }

    /// Adds a video at the end.
    package mutating func append(_ video: CourseListing.Video) { records.append(keep(video)) }

    /// Adds videos at the end.
    package mutating func append(contentsOf videos: some Sequence<CourseListing.Video>) {
        for video in videos { append(video) }
    }

    /// The id of a video, unique in the listing, in the one spelling of ids.
    package func id(_ index: Int) -> String { bytes(records[index], 0, records[index].id).text }

    package func has(_ id: String, at index: Int) -> Bool {
        bytes(records[index], 0, records[index].id).elementsEqual(id.utf8)
    }

    package func hasTitle(_ index: Int) -> Bool { records[index].title >= 0 }

    package func shownTitle(_ index: Int) -> String {
        let record = records[index]
        guard record.title >= 0 else { return id(index) }
        return bytes(record, Int(record.id) + Int(Swift.max(0, record.writtenID)), record.title).text
    }

    /// When a video was published, in seconds since 1970.
    package func publishedAt(_ index: Int) -> Double? {
        records[index].publishedAt.isNaN ? nil : records[index].publishedAt
    }

    /// The index of a video's chapter; nil directly under the course.
    package func chapter(_ index: Int) -> Int? { records[index].chapter < 0 ? nil : Int(records[index].chapter) }

    private func bytes(_ record: Record, _ skipped: Int, _ count: Int32) -> ArraySlice<UInt8> {
        let start = Int(record.offset) + skipped
        return blocks[Int(record.block)][start..<start + Int(Swift.max(0, count))]
    }

    private mutating func keep(_ video: CourseListing.Video) -> Record {
        // Strings that differ only in spelling are equal for Swift.
        let written = video.writtenID.utf8.elementsEqual(video.id.utf8) ? nil : video.writtenID
        let texts = [video.id, written, video.title, video.summary, video.cover, video.date]
        let count = texts.reduce(video.sha256?.count ?? 0) { $0 + ($1?.utf8.count ?? 0) }
        if blocks.isEmpty || blocks[blocks.count - 1].count + count > Self.blockSize {
            blocks.append([])
            if blocks.count > 1 { blocks[blocks.count - 1].reserveCapacity(Swift.max(count, Self.blockSize)) }
        }
        var record = Record()
        record.block = UInt32(clamping: blocks.count - 1)
        record.offset = UInt32(clamping: blocks[blocks.count - 1].count)
        record.id = add(video.id)
        record.writtenID = add(written)
        record.title = add(video.title)
        record.summary = add(video.summary)
        record.cover = add(video.cover)
        record.date = Int8(clamping: add(video.date))
        if let sha256 = video.sha256 {
            blocks[blocks.count - 1].append(contentsOf: sha256)
            record.digest = Int8(clamping: sha256.count)
        }
        record.chapter = Int32(clamping: video.chapter ?? -1)
        record.episode = Int32(clamping: video.episode ?? -1)
        record.publishedAt = video.publishedAt ?? .nan
        record.duration = video.duration ?? .nan
        record.size = video.size ?? .min
        if let rest = Rest(video) {
            record.rest = Int32(clamping: rests.count)
            rests.append(rest)
        }
        return record
    }

    private mutating func add(_ text: String?) -> Int32 {
        guard let text else { return -1 }
        blocks[blocks.count - 1].append(contentsOf: text.utf8)
        return Int32(clamping: text.utf8.count)
    }
}

extension ListingVideos: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { records.count }

    package subscript(index: Int) -> CourseListing.Video {
        get {
            let record = records[index]
            var skipped = 0
            func next(_ count: Int32) -> ArraySlice<UInt8>? {
                guard count >= 0 else { return nil }
                defer { skipped += Int(count) }
                return bytes(record, skipped, count)
            }
            let id = next(record.id)?.text ?? ""
            var video = CourseListing.Video(id: id, writtenID: next(record.writtenID)?.text ?? id)
            video.title = next(record.title)?.text
            video.summary = next(record.summary)?.text
            video.cover = next(record.cover)?.text
            video.date = next(Int32(record.date))?.text
            video.sha256 = next(Int32(record.digest)).map { Array($0) }
            video.chapter = chapter(index)
            video.episode = record.episode < 0 ? nil : Int(record.episode)
            video.publishedAt = publishedAt(index)
            video.duration = record.duration.isNaN ? nil : record.duration
            video.size = record.size == .min ? nil : record.size
            if record.rest >= 0 {
                let rest = rests[Int(record.rest)]
                video.provider = rest.provider
                video.parameters = rest.parameters
                video.subtitleFiles = rest.subtitleFiles
                video.attachments = rest.attachments
                video.checksums = rest.checksums
                video.availableAt = rest.availableAt
            }
            return video
        }
        // What it replaces stays in memory.
        set { records[index] = keep(newValue) }
    }
}

extension ListingVideos: HidesAddress {}

extension ArraySlice<UInt8> {
    fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
