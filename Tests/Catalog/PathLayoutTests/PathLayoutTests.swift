import Testing

@testable import PathLayout

@Suite("layouts")
struct PathLayoutTests {
    @Test("a template is folders and a file; the first folders are the course's, the next the chapter's")
    func depths() throws {
        let layout = try PathLayout(
            "Videos/{provider}/{course}/Media/{chapter_number:02} {chapter}/{year}/{number:02} {title}.{ext}")
        #expect(layout.components.count == 7)
        #expect(layout.courseDepth == 3 && layout.chapterDepth == 5)
        #expect(
            layout.components[4].parts == [.field(.chapterNumber, width: 2), .text(" "), .field(.chapter, width: 0)])
        #expect(!layout.namesByTitleAndNumber)
        let flat = try PathLayout("{course}/{title}<, {date}> {{raw}}.{ext}")
        #expect(flat.courseDepth == 1 && flat.chapterDepth == 1)
        #expect(
            flat.components[1].parts == [
                .field(.title, width: 0), .group([.text(", "), .field(.date, width: 0)]), .text(" {raw}"),
            ])
    }

    @Test("the presets are templates; the standard is plain, and depends on titles and numbers alone")
    func presets() throws {
        for preset in LayoutPreset.allCases {
            let layout = try PathLayout(preset.rawValue)
            #expect(layout.template == preset.template)
            #expect(try PathLayout(preset.template) == layout)
        }
        #expect(try PathLayout("plain") == .standard)
        #expect(PathLayout.standard.namesByTitleAndNumber)
        #expect(try PathLayout("plex").chapterDepth == 2 && PathLayout("podcast").chapterDepth == 1)
    }

    @Test(
        "invalid layouts are refused at their place",
        arguments: [
            ("", .empty, 0), ("plex ", .unknownPreset("plex "), 0),
            ("{course}/{titel}.{ext}", .unknownField("titel"), 10),
            ("{course}/{title.{ext}", .unknownField("title.{ext"), 10), ("{course}/{title", .open("{"), 9),
            ("{course}/<{title}.{ext}", .extensionInside, 18), ("{course}/<{title}", .open("<"), 9),
            ("{course}/title}.{ext}", .unopened("}"), 14), ("{course}/{title}>.{ext}", .unopened(">"), 16),
            ("{course}/<a <b>.{ext}", .nested, 12), ("{course}/{title}<{date}/x>.{ext}", .slashInGroup, 23),
            ("{course}/{title}<x>.{ext}", .groupWithoutField, 16),
            ("{course}/{number:2}.{ext}", .badWidth("2"), 17), ("{course}/{number:00}.{ext}", .badWidth("00"), 17),
            ("{course}/{title:02}.{ext}", .widthOfText(.title), 16),
            ("{course}/a:b {title}.{ext}", .badCharacter(":"), 10),
            ("{course}/a\u{1B} {title}.{ext}", .badCharacter("\u{1B}"), 10),
            ("/{course}/{title}.{ext}", .emptyFolder, 0), ("{course}//{title}.{ext}", .emptyFolder, 9),
            ("{course}/../{title}.{ext}", .badEdge, 9), ("{course}/.{title}.{ext}", .badEdge, 9),
            ("{course} /{title}.{ext}", .badEdge, 8), ("{course}./{title}.{ext}", .badEdge, 8),
            ("{course}/a/b/c/d/e/f/g/h/{title}.{ext}", .tooDeep, 24),
            ("{course}/{title}", .noExtension, 16), ("{course}/{title}{ext}", .noExtension, 16),
            ("{course}/{ext}/{title}.{ext}", .extensionInside, 23),
            ("{course}/{title}.{ext}.bak", .extensionInside, 17),
            ("{title}.{ext}", .noCourseFolder, 0), ("{chapter}/{course}/{title}.{ext}", .noCourseFolder, 0),
            ("x<{course}>/{title}.{ext}", .noCourseFolder, 0), ("{course}/{date}.{ext}", .namesNoVideo, 9),
            ("{course}/x/{chapter}.{ext}", .namesNoVideo, 11), ("{course}/{stream}.{ext}", .namesNoVideo, 9),
            ("{course}/{stream}/{title}.{ext}", .streamInFolder, 9),
            ("{course}/<{stream}>/{title}.{ext}", .streamInFolder, 9),
            ("{course}/{title}< {stream} {date}>.{ext}", .streamWithOthers, 16),
            ("{course}/{title}<{stream}{stream}>.{ext}", .streamWithOthers, 16),
        ] as [(String, LayoutError.Reason, Int)])
    func mistakes(text: String, reason: LayoutError.Reason, offset: Int) {
        let error = #expect(throws: LayoutError.self) { try PathLayout(text) }
        #expect(error?.reason == reason && error?.offset == offset, "\(String(describing: error))")
        #expect(error?.message.isEmpty == false)
    }

    @Test("a mistake has a correction")
    func messages() {
        let field = LayoutError(reason: .unknownField("titel"), offset: 0)
        #expect(field.suggestion == "title")
        #expect(field.message.hasPrefix("there is no field 'titel'; there are course, course_id, chapter,"))
        let preset = LayoutError(reason: .unknownPreset("jelyfin"), offset: 0)
        #expect(preset.suggestion == "jellyfin")
        #expect(
            preset.message == """
                there is no layout 'jelyfin'; write plain, plex, jellyfin, podcast, or a template such as \
                '{course}/{number:02} {title}.{ext}'
                """)
    }

    @Test("a template is at most 1024 characters long")
    func length() throws {
        #expect(throws: LayoutError(reason: .tooLong, offset: 1024)) {
            try PathLayout("{course}/{title}" + String(repeating: "x", count: 1024) + ".{ext}")
        }
    }
}
