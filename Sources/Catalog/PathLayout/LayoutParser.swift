/// Parses a template in one pass, and checks the result.
struct LayoutParser {
    /// The limit on scalars of a template.
    static let longest = 1024
    /// The limit on folders.
    static let deepest = 8

    private let template: String
    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var components: [PathLayout.Component] = []
    /// The start of each component.
    private var starts: [Int] = []
    private var parts: [PathLayout.Part] = []
    private var start = 0
    /// The current text, and its start.
    private var text = ""
    /// For an open group: the parts before it, and its start.
    private var outer: (parts: [PathLayout.Part], start: Int)?
    /// The position of `{ext}`.
    private var extensionPlace: Int?

    init(_ template: String) {
        self.template = template
        scalars = Array(template.unicodeScalars)
    }

    /// The layout of the text.
    consuming func layout() throws(LayoutError) -> PathLayout {
        guard !scalars.isEmpty else { throw error(.empty, at: 0) }
        guard scalars.count <= Self.longest else { throw error(.tooLong, at: Self.longest) }
        if !scalars.contains("{") { throw error(.unknownPreset(template), at: 0) }
        while place < scalars.count { try step() }
        if let outer { throw error(.open("<"), at: outer.start) }
        endText()
        try endComponent()
        try takeExtension()
        return try checked()
    }

    private mutating func step() throws(LayoutError) {
        let scalar = scalars[place]
        switch scalar {
        case "{" where place + 1 < scalars.count && scalars[place + 1] == "{",
            "}" where place + 1 < scalars.count && scalars[place + 1] == "}":
            text.unicodeScalars.append(scalar)
            place += 1
        case "{": try field()
        case "}": throw error(.unopened("}"), at: place)
        case "<":
            guard outer == nil else { throw error(.nested, at: place) }
            endText()
            outer = (parts, place)
            parts = []
        case ">":
            guard let open = outer else { throw error(.unopened(">"), at: place) }
            endText()
            let fields = parts.flatMap(\.fields)
            guard !fields.isEmpty else { throw error(.groupWithoutField, at: open.start) }
            guard !fields.contains(.stream) || fields.count == 1 else { throw error(.streamWithOthers, at: open.start) }
            parts = open.parts + [.group(parts)]
            outer = nil
        case "/":
            guard outer == nil else { throw error(.slashInGroup, at: place) }
            endText()
            try endComponent()
            guard components.count <= Self.deepest else { throw error(.tooDeep, at: place) }
            start = place + 1
        default:
            guard !Self.isRefused(scalar) else { throw error(.badCharacter(Character(scalar)), at: place) }
            text.unicodeScalars.append(scalar)
        }
        place += 1
    }

    /// `{name}` or `{name:02}`; ``place`` is at the closing brace then.
    private mutating func field() throws(LayoutError) {
        endText()
        let open = place
        guard let close = scalars[open...].firstIndex(of: "}") else { throw error(.open("{"), at: open) }
        let words = scalars[(open + 1)..<close].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(String.UnicodeScalarView(words[0]))
        guard let field = LayoutField(rawValue: name) else { throw error(.unknownField(name), at: open + 1) }
        var width = 0
        if words.count == 2 {
            let digits = String(String.UnicodeScalarView(words[1]))
            guard digits.utf8.count == 2, digits.hasPrefix("0"), let number = Int(digits), number > 0 else {
                throw error(.badWidth(digits), at: open + name.unicodeScalars.count + 2)
            }
            guard field.isNumber else { throw error(.widthOfText(field), at: open + name.unicodeScalars.count + 2) }
            width = number
        }
        if field == .ext {
            guard extensionPlace == nil, outer == nil else { throw error(.extensionInside, at: open) }
            extensionPlace = open
        }
        parts.append(.field(field, width: width))
        place = close
    }

    private mutating func endText() {
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
    }

    private mutating func endComponent() throws(LayoutError) {
        guard !parts.isEmpty else { throw error(.emptyFolder, at: start) }
        if case .text(let first)? = parts.first, first.hasPrefix(".") { throw error(.badEdge, at: start) }
        if case .text(let last)? = parts.last, last.hasSuffix(".") || last.hasSuffix(" ") {
            throw error(.badEdge, at: place - 1)
        }
        components.append(.init(parts))
        starts.append(start)
        parts = []
    }

    /// Removes `.{ext}` from the end.
    private mutating func takeExtension() throws(LayoutError) {
        guard let extensionPlace else { throw error(.noExtension, at: scalars.count) }
        guard let last = components.last, case .field(.ext, _)? = last.parts.last else {
            throw error(.extensionInside, at: extensionPlace)
        }
        var stem = Array(last.parts.dropLast())
        guard case .text(let dotted)? = stem.last, dotted.hasSuffix(".") else {
            throw error(.noExtension, at: extensionPlace)
        }
        stem.removeLast()
        if dotted.count > 1 { stem.append(.text(String(dotted.dropLast()))) }
        components[components.count - 1] = .init(stem)
    }

    private func checked() throws(LayoutError) -> PathLayout {
        guard let file = components.last, let fileStart = starts.last else { throw error(.empty, at: 0) }
        let folders = components.dropLast()
        let ofCourse = folders.prefix { $0.fields.isSubset(of: [.course, .courseID, .provider]) }
        guard let own = ofCourse.lastIndex(where: { !$0.fields.isDisjoint(with: [.course, .courseID]) }) else {
            throw error(.noCourseFolder, at: 0)
        }
        guard Self.always(file.parts).contains(where: \.namesAVideo) else {
            throw error(.namesNoVideo, at: fileStart)
        }
        for (folder, start) in zip(folders, starts) where folder.fields.contains(.stream) {
            throw error(.streamInFolder, at: start)
        }
        // A course has exactly one folder, even if its fields are empty.
        for (component, start) in zip(components[...own], starts)
        where Self.always(component.parts).isEmpty && !component.fields.isEmpty {
            throw error(.noCourseFolder, at: start)
        }
        let rest = folders[(own + 1)...]
        let ofChapter = rest.prefix { $0.fields.allSatisfy { $0.owner != .video } }
        let chapters = ofChapter.lastIndex { $0.fields.contains { $0.owner == .chapter } } ?? own
        return PathLayout(
            template: template, components: components, courseDepth: own + 1, chapterDepth: chapters + 1)
    }

    /// The fields outside groups.
    private static func always(_ parts: [PathLayout.Part]) -> Set<LayoutField> {
        Set(
            parts.compactMap { part in
                if case .field(let field, _) = part { field } else { nil }
            })
    }

    /// Characters that are removed from names: see `NameCleaning`.
    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\\", ":", "*", "?", "\"", "|": true
        default:
            scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isNoncharacterCodePoint
        }
    }

    private func error(_ reason: LayoutError.Reason, at offset: Int) -> LayoutError {
        LayoutError(reason: reason, offset: offset)
    }
}
