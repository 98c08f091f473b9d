import YAMLSource

/// The reason why a text isn't a layout, with the position.
package struct LayoutError: Error, Sendable, Equatable {
    /// The kind of mistake.
    package enum Reason: Sendable, Equatable {
        case empty
        case tooLong
        /// No preset of this name, and no template either.
        case unknownPreset(String)
        case unknownField(String)
        /// An unclosed `{` or `<`.
        case open(Character)
        /// A `}` or `>` without an opening one.
        case unopened(Character)
        /// A `<` inside `<>`.
        case nested
        /// A `/` inside `<>`.
        case slashInGroup
        /// A `<>` without a field would never be omitted.
        case groupWithoutField
        case badWidth(String)
        /// A width for a field that isn't a number.
        case widthOfText(LayoutField)
        /// A character that isn't allowed in names on every system.
        case badCharacter(Character)
        /// It begins with a slash, or has two in a row.
        case emptyFolder
        /// A name that begins or ends with a dot, or ends with a space.
        case badEdge
        case tooDeep
        case noExtension
        case extensionInside
        case noCourseFolder
        case namesNoVideo
        case streamInFolder
        /// A `<>` with `{stream}` and another field.
        case streamWithOthers
    }

    package let reason: Reason
    /// The number of Unicode scalars before the mistake.
    package let offset: Int

    /// The mistake and its correction: one line without a full stop.
    package var message: String {
        switch reason {
        case .empty: "a layout can't be empty; leave it out, or write \(Self.choices)"
        case .tooLong: "this layout is longer than \(LayoutParser.longest) characters"
        case .unknownPreset(let name): "there is no layout '\(name.prefix(64))'; write \(Self.choices)"
        case .unknownField(let name): "there is no field '\(name.prefix(64))'; there are \(Self.fields)"
        case .open(let bracket): "this \(bracket) is never closed"
        case .unopened(let bracket): "nothing opens this \(bracket)"
        case .nested: "a part in <> can't hold another one"
        case .slashInGroup: "a part in <> can't hold a /; a folder whose fields are all empty is left out by itself"
        case .groupWithoutField: "a part in <> needs a field: it is left out when that is empty"
        case .badWidth(let text): "'\(text.prefix(16))' isn't a width; write {number:02} for two digits, 09 at most"
        case .widthOfText(let field): "{\(field.rawValue)} isn't a number and takes no width"
        case .badCharacter(let character): "a file name can't hold \(Self.shown(character)) on every system"
        case .emptyFolder: "a folder has no name here; paths are relative to the library, with one / between names"
        case .badEdge: "a name can't begin with a dot, nor end with a dot or a space"
        case .tooDeep: "a layout has at most \(LayoutParser.deepest) folders"
        case .noExtension: "a layout ends with .{ext}, the file's extension"
        case .extensionInside: "{ext} stands at the end only, as .{ext}"
        case .noCourseFolder:
            "each course needs a folder of its own: begin with a folder that has {course} or {course_id}"
        case .namesNoVideo: "the file's name needs {title}, {id}, {number} or {index}, or all videos would be one file"
        case .streamInFolder: "{stream} can only be in the file's name: all views of a video are in one folder"
        case .streamWithOthers: "{stream} can't share a <> with another field; write it as '< - {stream}>'"
        }
    }

    /// A similar name.
    package var suggestion: String? {
        switch reason {
        case .unknownPreset(let name):
            NearestName.suggestion(for: name, among: LayoutPreset.allCases.map(\.rawValue))
        case .unknownField(let name): NearestName.suggestion(for: name, among: LayoutField.allCases.map(\.rawValue))
        default: nil
        }
    }

    private static let choices =
        LayoutPreset.allCases.map(\.rawValue).joined(separator: ", ")
        + ", or a template such as '{course}/{number:02} {title}.{ext}'"

    private static let fields = LayoutField.allCases.map(\.rawValue).joined(separator: ", ")

    private static func shown(_ character: Character) -> String {
        guard let scalar = character.unicodeScalars.first, scalar.value < 0x20 || scalar.value == 0x7F else {
            return "\(character)"
        }
        return "the control character \(scalar.value)"
    }
}
