import MediaTransfer
import XMLSource

/// Makes values of a presentation's elements. Each level completes what the levels below it leave out.
struct PresentationReader: RedactedInPrint {
    /// What an element and those around it say for the elements in it.
    private struct Level: RedactedInPrint {
        var base = ""
        var segments: SegmentInformation?
        var keys: [PlaylistKey] = []

        func inner(_ element: XMLElement) throws(PresentationError) -> Level {
            Level(
                base: try element.base(within: base),
                segments: try SegmentInformation.read(in: element, completedBy: segments),
                keys: keys + element.protection)
        }
    }

    private let root: XMLElement
    private var count = 0

    init(_ root: XMLElement) { self.root = root }

    mutating func periods() throws(PresentationError) -> [PresentationPeriod] {
        let elements = try root.here("Period")
        guard elements.count <= PlaylistLimit.periods else { throw root.error(.tooMany(.periods)) }
        let level = try Level().inner(root)
        var periods: [PresentationPeriod] = []
        for (element, duration) in zip(elements, try durations(elements)) {
            var period = PresentationPeriod(line: element.line)
            period.duration = duration
            let inner = try level.inner(element)
            for (number, set) in try element.here("AdaptationSet").enumerated() {
                period.representations += try representations(of: set, number, inner)
            }
            if !period.isEmpty { periods.append(period) }
        }
        return periods
    }

    /// Each one's own, or up to the beginning of the next one or the end.
    private func durations(_ elements: [XMLElement]) throws(PresentationError) -> [Double?] {
        let total = try root.seconds("mediaPresentationDuration")
        var starts: [Double?] = []
        var own: [Double?] = []
        // Of the period before, if it is known.
        var end: Double? = 0
        for element in elements {
            let start = try element.seconds("start") ?? end
            let duration = try element.seconds("duration")
            starts.append(start)
            own.append(duration)
            end = start.flatMap { start in duration.map { start + $0 } }
        }
        return elements.indices.map { index in
            if let known = own[index] { return known }
            let end = index + 1 < starts.count ? starts[index + 1] : total
            guard let end, let start = starts[index], end >= start else { return nil }
            return end - start
        }
    }

    private mutating func representations(
        of set: XMLElement, _ number: Int, _ outer: Level
    ) throws(PresentationError) -> [Representation] {
        guard !set.isForTricks else { return [] }
        let level = try outer.inner(set)
        var result: [Representation] = []
        for element in try set.here("Representation") where element.attributes["dependencyId"] == nil {
            count += 1
            guard count <= PlaylistLimit.renditions else { throw element.error(.tooMany(.representations)) }
            guard !element.isForTricks, let kind = element.mediaKind(in: set) else { continue }
            let inner = try level.inner(element)
            var representation = Representation(
                kind: kind, id: try element.text("id") ?? "", set: number, line: element.line)
            try representation.describe(element, in: set)
            representation.keys = PlaylistKey.namedFirst(inner.keys)
            representation.base = inner.base
            representation.segments = inner.segments
            result.append(representation)
        }
        return result
    }
}

extension XMLElement {
    /// Whether it is for fast forward, previews, or a tile of a picture.
    fileprivate var isForTricks: Bool {
        parts("EssentialProperty").contains { property in
            let scheme = property.attributes["schemeIdUri"]?.lowercased() ?? ""
            return ["trickmode", "thumbnail", "urn:mpeg:dash:srd"].contains(where: scheme.contains)
        }
    }

    /// Nil for pictures and unknown kinds.
    fileprivate func mediaKind(in set: XMLElement) -> Representation.Kind? {
        let type = mediaType(in: set)
        let codecs = (attributes["codecs"] ?? set.attributes["codecs"] ?? "").lowercased()
        if type == "application/ttml+xml" || type.hasPrefix("text/") || codecs.hasPrefix("stpp")
            || codecs.hasPrefix("wvtt")
        {
            return .text
        }
        let stated = set.attributes["contentType"] ?? set.part("ContentComponent")?.attributes["contentType"]
        return stated.flatMap(Representation.Kind.init(rawValue:))
            ?? Representation.Kind(rawValue: String(type.prefix { $0 != "/" }))
    }

    /// In lower case, without parameters; empty if not given.
    fileprivate func mediaType(in set: XMLElement) -> String {
        let type = attributes["mimeType"] ?? set.attributes["mimeType"] ?? ""
        return type.prefix { $0 != ";" }.lowercased()
    }
}

extension Representation {
    /// Takes what the elements say about the encoding.
    fileprivate mutating func describe(_ element: XMLElement, in set: XMLElement) throws(PresentationError) {
        func given(_ name: String) throws(PresentationError) -> String? {
            if let own = try element.text(name) { return own }
            return try set.text(name)
        }
        mediaType = element.mediaType(in: set)
        bandwidth =
            try element.text("bandwidth").flatMap { Int64($0) }.flatMap { (0...1 << 50).contains($0) ? $0 : nil } ?? 0
        codecs = (try given("codecs") ?? "").split(separator: ",").prefix(PlaylistLimit.items).map {
            String($0.filter { $0 != " " })
        }
        if let width = try given("width").flatMap({ UInt16($0) }),
            let height = try given("height").flatMap({ UInt16($0) }),
            width > 0, height > 0
        {
            resolution = FrameSize(width: Int(width), height: Int(height))
        }
        frameRate = try given("frameRate").flatMap(Self.rate)
        // Muxers write the code for an unknown language.
        language = try given("lang").flatMap { $0.isEmpty || $0 == "und" ? nil : $0 }
        label = (set.part("Label")?.words ?? "").prefix(256).filter { !$0.isNewline }
        let described = set.parts("Accessibility").contains { $0.attributes["value"] == "1" }
        roles = set.parts("Role").compactMap { $0.attributes["value"] }.filter { $0.utf8.count <= 64 }
        roles = Array(roles.prefix(PlaylistLimit.items)) + (described && kind == .audio ? ["description"] : [])
    }

    /// `25` or `30000/1001`.
    private static func rate(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard let first = parts.first, let rate = first, parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return rate.isFinite && rate > 0 ? rate : nil }
        guard let divisor = parts[1], divisor > 0, case let value = rate / divisor, value.isFinite, value > 0 else {
            return nil
        }
        return value
    }
}
