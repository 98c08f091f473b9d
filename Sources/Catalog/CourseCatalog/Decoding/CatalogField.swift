/// The keys of the catalog format. The decoder and the JSON Schema are both made from these tables.
enum CatalogField: UInt8, CaseIterable {
    /// Of a catalog.
    case version, name, include, defaults, courses, coursesOf
    /// Of a catalog and its courses.
    case layout
    /// Of courses, chapters and videos.
    case id, title, description, chapters, videos, discover
    /// Of `discover`.
    case includedTitles, excludedTitles, newest, every, handOver
    /// Of `courses_of`.
    case prefix
    /// Inherited.
    case provider, priority, quality, audio, subtitles, streams, live, parameters, cover, maxSize, stripNumbers
    /// Of videos.
    case date, sha256, checksums, size, subtitleFiles, attachments, episode
    /// Of `checksums`.
    case md5, sha1, crc32
    /// Of chapters.
    case season
    /// Of what comes along with a video.
    case lang, url

    /// The key as written.
    var key: String {
        switch self {
        case .subtitleFiles: "subtitle_files"
        case .coursesOf: "courses_of"
        case .maxSize: "max_size"
        case .stripNumbers: "strip_numbers"
        case .includedTitles: "include"
        case .excludedTitles: "exclude"
        case .handOver: "hand_over"
        default: String(describing: self)
        }
    }
}

/// The kinds of mappings in a catalog, and the keys of each.
enum CatalogLevel: UInt8, CaseIterable {
    /// From the outermost to the innermost.
    case catalog, defaults, courseSource, course, discovery, chapter, video, subtitleFile, attachment, checksums

    /// The inherited keys, which are allowed at several levels.
    static let inherited: [CatalogField] = [
        .provider, .priority, .quality, .audio, .subtitles, .streams, .live, .parameters, .cover, .maxSize,
        .stripNumbers,
    ]

    /// Its keys, in the recommended order.
    var fields: [CatalogField] {
        switch self {
        case .catalog: [.version, .name, .include, .layout, .defaults, .coursesOf, .courses]
        case .defaults: Self.inherited
        case .courseSource:
            [.includedTitles, .excludedTitles, .newest, .every, .prefix, .discover, .layout] + Self.inherited
        case .course: [.id, .title, .description, .discover, .layout] + Self.inherited + [.chapters, .videos]
        case .discovery: [.includedTitles, .excludedTitles, .newest, .every, .handOver]
        case .chapter: [.id, .title, .description, .season] + Self.inherited + [.videos]
        case .video:
            [.id, .title, .description, .date, .episode] + Self.inherited
                + [.sha256, .checksums, .size, .subtitleFiles, .attachments]
        case .subtitleFile: [.lang, .url]
        case .attachment: [.title, .url]
        case .checksums: [.md5, .sha1, .crc32]
        }
    }

    /// Its required keys.
    var required: [CatalogField] {
        switch self {
        case .catalog: [.version]
        case .defaults, .courseSource, .discovery, .checksums: []
        case .course, .chapter, .video: [.id]
        case .subtitleFile: [.lang, .url]
        case .attachment: [.title, .url]
        }
    }

    /// With its article, for messages.
    var noun: String {
        switch self {
        case .catalog: "a catalog"
        case .defaults: "'defaults'"
        case .courseSource: "'courses_of'"
        case .course: "a course"
        case .discovery: "'discover'"
        case .chapter: "a chapter"
        case .video: "a video"
        case .subtitleFile: "a subtitle file"
        case .attachment: "an attachment"
        case .checksums: "'checksums'"
        }
    }
}
