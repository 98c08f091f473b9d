import PathLayout
import YAMLSource

/// A decoded catalog file before its settings are resolved.
struct CatalogDraft {
    /// A file or files to include.
    struct Include {
        /// As written.
        var pattern: String
        var location: SourceLocation
    }

    /// A course or chapter as written.
    struct Group {
        /// Empty only after a mistake.
        var id = ""
        /// As the catalog spells it.
        var writtenID = ""
        /// Nil if its id is the title.
        var title: String?
        var description: String?
        /// Of a chapter: its number as a season.
        var season: Int?
        /// The position of the id.
        var position: SourcePosition
        var own = OwnSettings()
        /// The rows of its direct videos.
        var videos = 0..<0
    }

    /// A course as written.
    struct CourseGroup {
        /// The parts that a chapter has as well.
        var group: Group
        /// How the provider lists its contents; nil if it doesn't.
        var discovery: Discovery?
        /// The layout of its videos.
        var layout: PathLayout?
        /// In the order of the file.
        var chapters: [Group] = []
    }

    /// What is kept of a course of another shard.
    struct OtherCourse {
        /// Its id.
        var id: String
        /// The position of the id.
        var position: SourcePosition
        /// The digest of its name in the form in which two are compared.
        var nameDigest: Int
        /// Of its videos, or of it if its provider lists them: what names no provider up to the course.
        var unprovided: Unprovided
    }

    /// Videos without a provider.
    struct Unprovided {
        /// The number of videos; 0 also for a course whose provider lists them.
        var count = 0
        /// The first one's position; nil if nothing lacks a provider.
        var first: SourcePosition?
    }

    /// What is taken of a listing, as written.
    struct Selection {
        var include: [Discovery.Pattern] = []
        var exclude: [Discovery.Pattern] = []
        var newest: Int?
        var every: Duration?
        var handOver: [ProviderReference] = []
    }

    /// An item of `courses_of` as written.
    struct SourceDraft {
        /// The position of the mapping.
        var position: SourcePosition
        /// Which courses, and how often the provider is asked.
        var selection = Selection()
        /// Comes before the ids of the courses.
        var prefix = ""
        /// What each course takes of its listing; nil for everything.
        var discovery: Discovery?
        /// The layout of the courses' videos.
        var layout: PathLayout?
        var own = OwnSettings()
    }

    /// The catalog's `name`.
    var name: String?
    /// The catalog's `layout`.
    var layout: PathLayout?
    /// Whether a `provider` may be missing because of another mistake; then its absence isn't reported.
    var isProviderDoubtful = false
    /// Whether it says that it is a catalog: it has a `version`, which is a number.
    var isCatalog = false
    /// Whether the text was decoded to its end.
    var isComplete = false
    /// In the order of the file.
    var includes: [Include] = []
    /// The settings inherited by everything in the file.
    var defaults = OwnSettings()
    /// In the order of the file.
    var courses: [CourseGroup] = []
    /// Those of other shards, in the order of the file.
    var others: [OtherCourse] = []
    /// The videos of those.
    var otherVideos = OtherVideos()
    /// In the order of the file.
    var sources: [SourceDraft] = []
    /// All videos in the order of the file.
    var records = RecordBlocks()
    /// Texts and checksums of the videos.
    var text = TextBlocks()
    /// Single videos' own settings beyond `priority` and `cover`.
    var videoSettings: [OwnVideoSettings] = []
    /// The extras of the few videos that have some.
    var extras: [VideoExtras] = []
}

/// Letting go what belongs to another shard.
extension CatalogDraft {
    /// How much of the videos there is at a moment.
    struct Extent {
        fileprivate var records: Int
        fileprivate var text: TextBlocks.Extent
        fileprivate var videoSettings: Int
        fileprivate var extras: Int
    }

    /// How much of the videos there is now.
    var extent: Extent {
        Extent(records: records.count, text: text.extent, videoSettings: videoSettings.count, extras: extras.count)
    }

    /// Lets go the videos that came after an earlier moment, which are another shard's.
    mutating func letGo(since extent: Extent) {
        for index in extent.records..<records.count {
            text.withBytes(of: records[index].id) { otherVideos.insert($0) }
            guard records[index].digest != VideoRecord.none else { continue }
            text.withBytes(of: TextRange(offset: records[index].digest, count: 32)) { otherVideos.insert($0) }
        }
        records.truncate(to: extent.records)
        text.truncate(to: extent.text)
        videoSettings.removeLast(videoSettings.count - extent.videoSettings)
        extras.removeLast(extras.count - extent.extras)
    }

    /// What names no provider in a course, itself included.
    func unprovided(in course: CourseGroup) -> Unprovided {
        var found = Unprovided()
        guard course.group.own.provider == nil else { return found }
        for group in [course.group] + course.chapters where group.own.provider == nil {
            for index in group.videos {
                let own = records[index].settings
                guard own == VideoRecord.none || !videoSettings[Int(own)].hasProvider else { continue }
                found.count += 1
                found.first = found.first ?? records[index].position
            }
        }
        if course.discovery != nil { found.first = found.first ?? course.group.position }
        return found
    }
}

extension Discovery {
    convenience init(_ selection: CatalogDraft.Selection) {
        self.init(
            include: selection.include, exclude: selection.exclude, newest: selection.newest, every: selection.every,
            handOver: selection.handOver)
    }
}
