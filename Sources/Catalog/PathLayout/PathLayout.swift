/// The layout of paths in a library: a template with fields in braces, or the name of a preset.
///
/// `{course}/{chapter_number:02} {chapter}/{number:02} {title}.{ext}`: a width pads numbers with zeros, a part in `<>`
/// is omitted if a field in it is empty, and so is a folder whose fields all are. The first folders belong to the
/// course, the next to the chapter; each course has its own folder. A layout doesn't know the rules of file systems:
/// its caller cleans each part. It has been checked: it leads to a file below the library, and distinguishes videos.
package struct PathLayout: Sendable, Hashable {
    /// A piece of a component.
    package enum Part: Sendable, Hashable {
        case text(String)
        /// A field, padded with zeros to a width.
        case field(LayoutField, width: Int)
        /// Omitted if a field in it is empty.
        case group([Part])
    }

    /// A folder, or the file's name without its extension.
    package struct Component: Sendable, Hashable {
        /// In their order.
        package let parts: [Part]
        /// All of its fields, including those in groups.
        package let fields: Set<LayoutField>
    }

    /// The template, also of a preset. Two layouts with the same template are equal.
    package let template: String
    /// The folders, and last the file.
    package let components: [Component]
    /// The number of components in the course's folder; at least one.
    package let courseDepth: Int
    /// The number of components in the chapter's folder: ``courseDepth`` if chapters have no folder of their own.
    package let chapterDepth: Int

    /// Reads a preset's name or a template.
    package init(_ text: String) throws(LayoutError) {
        if let preset = LayoutPreset(rawValue: text) {
            self = try LayoutParser(preset.template).layout()
        } else {
            self = try LayoutParser(text).layout()
        }
    }

    init(template: String, components: [Component], courseDepth: Int, chapterDepth: Int) {
        self.template = template
        self.components = components
        self.courseDepth = courseDepth
        self.chapterDepth = chapterDepth
    }

    /// The default: ``LayoutPreset/plain``.
    package static let standard = PathLayout(
        template: LayoutPreset.plain.template,
        components: [
            Component([.field(.course, width: 0)]),
            Component([.field(.chapterNumber, width: 2), .text(" "), .field(.chapter, width: 0)]),
            Component([.field(.number, width: 2), .text(" "), .field(.title, width: 0)]),
        ], courseDepth: 1, chapterDepth: 2)

    /// Whether the name of another view is the layout's, with `{stream}`.
    package var namesViews: Bool { components.last?.fields.contains(.stream) ?? false }

    /// Whether a video's name in the folder of its chapter depends only on its title, its number there and its id.
    package var namesByTitleAndNumber: Bool {
        components.count == chapterDepth + 1 && (components.last?.fields ?? []).isSubset(of: [.title, .number, .id])
    }
}

extension PathLayout.Component {
    init(_ parts: [PathLayout.Part]) {
        self.init(parts: parts, fields: Set(parts.flatMap(\.fields)))
    }
}

extension PathLayout.Part {
    package var fields: [LayoutField] {
        switch self {
        case .text: []
        case .field(let field, _): [field]
        case .group(let parts): parts.flatMap(\.fields)
        }
    }
}

package enum LayoutPreset: String, Sendable, CaseIterable {
    /// Readable folders.
    case plain
    /// A course is a show of Plex, a chapter a season.
    case plex
    /// A course is a show of Jellyfin, Emby or Kodi, a chapter a season.
    case jellyfin
    /// A course is a podcast: one folder, in the course's order.
    case podcast

    package var template: String {
        switch self {
        case .plain: "{course}/{chapter_number:02} {chapter}/{number:02} {title}.{ext}"
        case .plex: "{course}/Season {season:02}/{course} - s{season:02}e{number:02} - {title}.{ext}"
        case .jellyfin: "{course}/Season {season:02}/{course} S{season:02}E{number:02} {title}.{ext}"
        case .podcast: "{course}/{index:03}< {date}> {title}.{ext}"
        }
    }
}
