import Crypto
import PathLayout
import TextFormats
import YAMLSource

/// Resolves the inherited settings of each course, chapter and video in a decoded file.
struct SettingsResolution {
    private var draft: CatalogDraft
    private var settings: [Settings] = []
    /// The last settings made from a video's own values: consecutive videos with the same values share one object.
    private var last: (base: Settings, own: OwnSettings, index: UInt32)?

    /// The resolution of a draft, which it takes over.
    init(_ draft: consuming CatalogDraft) { self.draft = draft }

    /// The courses of the file; mistakes are added to `mistakes`.
    ///
    /// - Parameters:
    ///   - base: The settings beneath the file's own: the including file's `defaults`.
    ///   - layout: The layout of courses without one.
    mutating func courses(
        above base: Settings, layout: PathLayout?, file: Int, folder: String, source: SourceName,
        mistakes: inout DiagnosticList
    ) -> [Course] {
        let defaults = derive(draft.defaults, above: base)
        let isProviderDoubtful = draft.isProviderDoubtful || !draft.isComplete
        var placed: [(group: CatalogDraft.CourseGroup, settings: Settings, chapters: [Settings])] = []
        for course in draft.courses {
            let own = derive(course.group.own, above: defaults)
            var missing = CatalogDraft.Unprovided()
            resolve(course.group.videos, above: own, missing: &missing)
            var chapters: [Settings] = []
            for chapter in course.chapters {
                let inherited = derive(chapter.own, above: own)
                resolve(chapter.videos, above: inherited, missing: &missing)
                chapters.append(inherited)
            }
            if course.discovery != nil, own.provider == nil {
                missing.first = missing.first ?? course.group.position
            }
            if !isProviderDoubtful { missing.report(in: source, &mistakes) }
            placed.append((course, own, chapters))
        }
        if defaults.provider == nil, !isProviderDoubtful {
            for other in draft.others { other.unprovided.report(in: source, &mistakes) }
        }
        let table = VideoTable(
            source: source, folder: folder, records: draft.records, text: draft.text, settings: settings,
            extras: draft.extras)
        return placed.map { course, own, chapters in
            Course(
                id: course.group.id, writtenID: course.group.writtenID, title: course.group.title ?? course.group.id,
                hasOwnTitle: course.group.title != nil,
                description: course.group.description, layout: course.layout ?? layout, file: file,
                location: SourceLocation(source, course.group.position), ownCover: course.group.own.cover,
                discovery: course.discovery, settings: own, videos: VideoList(table: table, range: course.group.videos),
                chapters: zip(course.chapters, chapters).map { chapter, settings in
                    Chapter(
                        id: chapter.id, writtenID: chapter.writtenID, title: chapter.title ?? chapter.id,
                        hasOwnTitle: chapter.title != nil,
                        description: chapter.description, location: SourceLocation(source, chapter.position),
                        ownCover: chapter.own.cover, season: chapter.season,
                        settings: settings, videos: VideoList(table: table, range: chapter.videos))
                })
        }
    }

    /// The sources of further courses; mistakes are added to `mistakes`. To be called before `courses`, with the same
    /// arguments.
    func sources(
        above base: Settings, layout: PathLayout?, file: Int, source: SourceName, mistakes: inout DiagnosticList
    ) -> [CourseSource] {
        let defaults = derive(draft.defaults, above: base)
        return draft.sources.compactMap { draft in
            let settings = derive(draft.own, above: defaults)
            guard settings.provider != nil else {
                if !self.draft.isProviderDoubtful, self.draft.isComplete {
                    mistakes.error(
                        at: SourceLocation(source, draft.position),
                        "no 'provider' is set for these courses; set one here or in 'defaults'")
                }
                return nil
            }
            // One list for each question: other parameters are another list. They may be a private address.
            let digest = Array(SHA256.hash(data: settings.parametersUTF8).prefix(16)).hex
            let key = "courses_of \(settings.provider?.name ?? "") \(digest)"
            let table = VideoTable(
                source: source, folder: "", records: RecordBlocks(), text: TextBlocks(), settings: [], extras: [])
            let list = Course(
                id: key, writtenID: key, title: key, hasOwnTitle: true, description: nil,
                layout: draft.layout ?? layout, file: file, location: SourceLocation(source, draft.position),
                ownCover: nil, discovery: Discovery(draft.selection), settings: settings,
                videos: VideoList(table: table, range: 0..<0), chapters: [])
            return CourseSource(list: list, prefix: draft.prefix, discovery: draft.discovery ?? Discovery())
        }
    }

    private func derive(_ own: OwnSettings, above base: Settings) -> Settings {
        own.isEmpty ? base : Settings(own, above: base)
    }

    private mutating func resolve(
        _ videos: Range<Int>, above base: Settings, missing: inout CatalogDraft.Unprovided
    ) {
        var shared = VideoRecord.none
        for index in videos {
            let own = draft.records[index].settings
            let resolved: UInt32
            if own != VideoRecord.none {
                resolved = place(draft.videoSettings[Int(own)].settings, above: base)
            } else {
                if shared == VideoRecord.none { shared = append(base) }
                resolved = shared
            }
            draft.records[index].settings = resolved
            if !draft.records[index].hasPriority {
                draft.records[index].priority = Int32(clamping: settings[Int(resolved)].priority)
            }
            if settings[Int(resolved)].provider == nil {
                missing.count += 1
                missing.first = missing.first ?? draft.records[index].position
            }
        }
    }

    private mutating func place(_ own: OwnSettings, above base: Settings) -> UInt32 {
        if let last, last.base === base, last.own.saysTheSame(as: own) { return last.index }
        let index = append(Settings(own, above: base))
        last = (base, own, index)
        return index
    }

    private mutating func append(_ new: Settings) -> UInt32 {
        settings.append(new)
        return UInt32(clamping: settings.count - 1)
    }
}

extension CatalogDraft.Unprovided {
    /// Adds the mistake, if there is one.
    fileprivate func report(in source: SourceName, _ mistakes: inout DiagnosticList) {
        guard let first else { return }
        let others = count > 1 ? " (nor \(count - 1) more of this course)" : ""
        mistakes.error(
            at: SourceLocation(source, first),
            "no 'provider' is set for this \(count > 0 ? "video" : "course")\(others); set one here, on its course or "
                + "in 'defaults'")
    }
}
