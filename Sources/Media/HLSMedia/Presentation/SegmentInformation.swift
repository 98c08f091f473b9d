import MediaTransfer

/// What a SegmentTemplate, SegmentList or SegmentBase says; what it leaves out is that of the element around it.
/// Related: ISO/IEC 23009-1 §5.3.9.
struct SegmentInformation: Sendable, Equatable, RedactedInPrint {
    enum Form: String, Sendable, Equatable {
        case base = "SegmentBase"
        case list = "SegmentList"
        case template = "SegmentTemplate"
    }

    /// A resource, or a part of it.
    struct Source: Sendable, Equatable, RedactedInPrint {
        /// Nil for the address of the representation.
        var uri: String?
        /// Nil for all of it.
        var range: Range<Int64>?
    }

    /// Segments of one duration that follow each other.
    struct Run: Sendable, Equatable {
        /// Of the first one; nil if it follows the run before.
        var start: Int64?
        /// Of the first one; nil if it follows the run before.
        var number: Int64?
        var duration: Int64
        /// How many follow the first one; nil for as many as there is time for.
        var repeats: Int64?
        var line: Int
    }

    var form: Form
    /// Units per second, at least 1.
    var timescale: Int64?
    /// Of each segment, in units.
    var duration: Int64?
    var startNumber: Int64?
    var endNumber: Int64?
    /// The time of the media at the beginning of the period, in units.
    var timeOffset: Int64?
    /// The address of each segment, with identifiers.
    var media: String?
    /// The address of the initialization section, with identifiers.
    var initialization: String?
    var initializationSource: Source?
    /// The place of the index within the file.
    var indexRange: Range<Int64>?
    /// SegmentTimeline; nil without one.
    var timeline: [Run]?
    /// Of a SegmentList; nil without any.
    var list: [Source]?
    var line: Int

    init(_ form: Form, line: Int) {
        self.form = form
        self.line = line
    }

    /// The same with what `outer` says beyond it.
    func completed(by outer: SegmentInformation?) -> SegmentInformation {
        guard let outer, outer.form == form else { return self }
        var all = self
        all.timescale = timescale ?? outer.timescale
        all.duration = duration ?? (timeline == nil ? outer.duration : nil)
        all.startNumber = startNumber ?? outer.startNumber
        all.endNumber = endNumber ?? outer.endNumber
        all.timeOffset = timeOffset ?? outer.timeOffset
        all.media = media ?? outer.media
        if initialization == nil, initializationSource == nil {
            all.initialization = outer.initialization
            all.initializationSource = outer.initializationSource
        }
        all.indexRange = indexRange ?? outer.indexRange
        all.timeline = timeline ?? (duration == nil ? outer.timeline : nil)
        all.list = list ?? outer.list
        return all
    }

    /// A number of units in seconds.
    func seconds(_ units: Int64) -> Double { Double(units) / Double(timescale ?? 1) }
}
