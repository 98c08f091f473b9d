import YAMLSource

/// Makes the table of a course from written and listed videos.
struct VideoTableBuilder {
    private let source: SourceName
    private let folder: String
    /// The position of everything that is listed.
    private let position: SourcePosition
    private var records = RecordBlocks()
    private var text = TextBlocks()
    private var settings: [Settings] = []
    private var extras: [VideoExtras] = []
    /// For videos that the course's provider hands over.
    private var handed: [Handed: Settings] = [:]

    /// Another provider, and the settings above which it takes a video.
    private struct Handed: Hashable {
        var provider: String
        var base: ObjectIdentifier
    }

    /// - Parameter folder: The base of covers that the catalog names.
    init(course: SourceLocation, folder: String) {
        source = course.source
        position = SourcePosition(line: course.line, column: course.column)
        self.folder = folder
    }

    /// The number of videos so far.
    var count: Int { records.count }

    /// The finished table. `isListed`: whether a provider has listed videos of it.
    consuming func table(isListed: Bool = true) -> VideoTable {
        VideoTable(
            source: source, folder: folder, records: records, text: text, settings: settings, extras: extras,
            isListed: isListed)
    }

    /// Adds a video as it is, but for its title if it has none.
    mutating func append(_ video: Video, titled title: String?) {
        append(
            video, filledFrom: nil, settings: video.settings, isPlacedByListing: video.isPlacedByListing)
        if let title, video.title == video.id { records[records.count - 1].title = text.keep(title) }
    }

    /// Adds a listed video that the catalog doesn't name.
    mutating func append(_ listed: CourseListing.Video, above base: Settings) {
        var record = VideoRecord(position: position)
        record.id = text.keep(listed.id)
        record.title = listed.title.map { text.keep($0) } ?? record.id
        record.settings = place(settings(of: listed, above: base))
        record.priority = Int32(clamping: base.priority)
        record.isPlacedByListing = true
        fill(&record, VideoExtras(), from: listed)
        records.append(record)
    }

    /// Adds a video that the catalog names. What it doesn't say is taken from the listing.
    ///
    /// - Parameter written: the settings of the level that it is written in.
    mutating func append(
        _ video: Video, filledFrom listed: CourseListing.Video?, above base: Settings, written: Settings,
        isPlacedByListing: Bool = false
    ) {
        append(
            video, filledFrom: listed,
            settings: listed.map { settings(of: video, written: written, filledFrom: $0, above: base) }
                ?? video.settings,
            isPlacedByListing: isPlacedByListing)
    }

    /// The settings of a listed video above those of its level.
    private mutating func settings(of listed: CourseListing.Video, above base: Settings) -> Settings {
        var base = base
        if let provider = listed.provider {
            let key = Handed(provider: provider, base: ObjectIdentifier(base))
            let location = SourceLocation(source, position)
            let known =
                handed[key] ?? Settings(base, handedTo: ProviderReference(name: provider, location: location))
            handed[key] = known
            base = known
        }
        return listed.parameters.isEmpty ? base : Settings(OwnSettings(parameters: listed.parameters), above: base)
    }

    /// The settings of a video that is written and listed.
    private mutating func settings(
        of video: Video, written: Settings, filledFrom listed: CourseListing.Video, above base: Settings
    ) -> Settings {
        guard listed.provider != nil || !listed.parameters.isEmpty else { return video.settings }
        // It has nothing of its own.
        if video.settings === written { return settings(of: listed, above: base) }
        guard listed.provider != nil else {
            return Settings(video.settings, aboveInserted: settings(of: listed, above: base))
        }
        // What is listed is for another provider than the one that is written.
        guard video.settings.provider == written.provider else { return video.settings }
        return Settings(video.settings, aboveHanded: settings(of: listed, above: base))
    }

    private mutating func append(
        _ video: Video, filledFrom listed: CourseListing.Video?, settings: Settings, isPlacedByListing: Bool
    ) {
        var record = VideoRecord(position: SourcePosition(line: video.location.line, column: video.location.column))
        record.id = text.keep(video.id)
        let title = video.title == video.id ? listed?.title ?? video.title : video.title
        record.title = title == video.id ? record.id : text.keep(title)
        record.settings = place(settings)
        record.priority = Int32(clamping: video.priority)
        record.hasPriority = true
        record.isPlacedByListing = isPlacedByListing
        record.episode = Int32(clamping: video.episode ?? -1)
        record.cover = video.coverText.map { text.keep($0) } ?? TextRange()
        record.size = video.size ?? -1
        record.digest = video.sha256.map { keepDigest($0) } ?? VideoRecord.none
        var own = VideoExtras()
        own.subtitleFiles = video.subtitleFiles
        own.attachments = video.attachments
        own.description = video.description
        own.date = video.date
        own.checksums = video.checksums
        own.availableAt = video.availableAt
        if video.isSpelledOtherwise { own.writtenID = video.writtenID }
        if let listed { fill(&record, own, from: listed) } else { keep(own, of: &record) }
        records.append(record)
    }

    /// Adds what a record lacks.
    private mutating func fill(_ record: inout VideoRecord, _ own: VideoExtras, from listed: CourseListing.Video) {
        var own = own
        if record.cover.count == 0, let cover = listed.cover { record.cover = text.keep(cover) }
        if record.size < 0 { record.size = listed.size ?? -1 }
        if record.digest == VideoRecord.none {
            record.digest = listed.sha256.map { keepDigest($0) } ?? VideoRecord.none
        }
        if own.subtitleFiles.isEmpty { own.subtitleFiles = listed.subtitleFiles }
        if own.attachments.isEmpty { own.attachments = listed.attachments }
        own.description = own.description ?? listed.summary
        own.date = own.date ?? listed.date
        own.checksums = own.checksums ?? listed.checksums
        own.availableAt = listed.availableAt
        if record.episode < 0 { record.episode = Int32(clamping: listed.episode ?? -1) }
        // Strings that differ only in spelling are equal for Swift.
        own.writtenID = listed.writtenID.utf8.elementsEqual(listed.id.utf8) ? nil : listed.writtenID
        keep(own, of: &record)
    }

    private mutating func keep(_ own: VideoExtras, of record: inout VideoRecord) {
        guard !own.isEmpty else { return }
        record.extras = UInt32(clamping: extras.count)
        extras.append(own)
    }

    private mutating func place(_ new: Settings) -> UInt32 {
        if settings.last !== new { settings.append(new) }
        return UInt32(clamping: settings.count - 1)
    }

    private mutating func keepDigest(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { text.keep($0).offset } }
}
