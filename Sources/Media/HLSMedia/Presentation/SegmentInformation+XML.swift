import MediaTransfer
import XMLSource

extension SegmentInformation {
    /// The units per second are 32 bits.
    private static let timescales: ClosedRange<Int64> = 1...Int64(UInt32.max)

    /// What the element says about its segments, completed by the element around it; nil if neither says anything.
    static func read(
        in element: XMLElement, completedBy outer: SegmentInformation?
    ) throws(PresentationError) -> SegmentInformation? {
        for form in [Form.template, .list, .base] {
            guard let part = element.part(form.rawValue) else { continue }
            try part.checkPlace()
            return try SegmentInformation(part, form).completed(by: outer)
        }
        return outer
    }

    private init(_ element: XMLElement, _ form: Form) throws(PresentationError) {
        self.init(form, line: element.line)
        timescale = try element.number("timescale", in: Self.timescales)
        duration = try element.number("duration", in: 1...PlaylistLimit.size)
        startNumber = try element.number("startNumber")
        endNumber = try element.number("endNumber")
        timeOffset = try element.number("presentationTimeOffset")
        indexRange = try element.byteRange("indexRange")
        if form == .template {
            media = try element.text("media")
            initialization = try element.text("initialization")
        }
        if let part = element.part("Initialization") {
            initializationSource = Source(uri: try part.text("sourceURL"), range: try part.byteRange("range"))
        }
        if let part = element.part("SegmentTimeline") {
            try part.checkPlace()
            timeline = try Self.runs(part)
        }
        let parts = form == .list ? element.parts("SegmentURL") : []
        guard !parts.isEmpty else { return }
        guard parts.count <= PlaylistLimit.segments else { throw element.error(.tooMany(.segments)) }
        var sources: [Source] = []
        sources.reserveCapacity(parts.count)
        for part in parts {
            sources.append(Source(uri: try part.text("media"), range: try part.byteRange("mediaRange")))
        }
        list = sources
    }

    private static func runs(_ element: XMLElement) throws(PresentationError) -> [Run] {
        let parts = element.parts("S")
        guard parts.count <= PlaylistLimit.segments else { throw element.error(.tooMany(.segments)) }
        var runs: [Run] = []
        runs.reserveCapacity(parts.count)
        for part in parts {
            guard let duration = try part.number("d", in: 1...PlaylistLimit.size) else {
                throw part.error(.value("d"))
            }
            let repeats = try part.number("r", in: -1...PlaylistLimit.integer) ?? 0
            runs.append(
                Run(
                    start: try part.number("t"), number: try part.number("n"), duration: duration,
                    repeats: repeats < 0 ? nil : repeats, line: part.line))
        }
        return runs
    }
}
