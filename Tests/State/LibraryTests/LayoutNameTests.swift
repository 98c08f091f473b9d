import PathLayout
import Testing

@testable import MediaLibrary

@Suite("names by a layout")
struct LayoutNameTests {
    @Test("fields are filled in; an empty one leaves neither its part nor a space at the ends")
    func filling() throws {
        let layout = try PathLayout("{course}/{date} {title}< ({chapter}, {chapter_number:02})>.{ext}")
        #expect(
            LibraryName.stem(layout, course: "C", chapter: ("Optics", "o", 3), title: "Lens", date: "2026-10-05")
                == "2026-10-05 Lens (Optics, 03)")
        #expect(LibraryName.stem(layout, course: "C", title: "Lens") == "Lens")
        #expect(LibraryName.stem(try PathLayout("plex"), course: "C/D", title: "A: B") == "C_D - s00e01 - A_ B")
    }

    @Test(
        "no title leads out of its folder, hides a file or names a device",
        arguments: ["..", ".", "../../etc/passwd", ".ssh", "CON", "nul.txt", "a/b", "a\\b", "\u{202E}4pm.exe", "\0"])
    func hostile(title: String) throws {
        for template in ["{course}/{title}.{ext}", "{course}/{title}{title}.{ext}", "{course}/{title}<{date}>.{ext}"] {
            let name = LibraryName.stem(try PathLayout(template), course: title, title: title)
            #expect(!name.hasPrefix(".") && !name.hasSuffix(".") && !name.isEmpty)
            #expect(!name.unicodeScalars.contains { "/\\:\0\u{202E}".unicodeScalars.contains($0) })
            #expect(!["CON", "NUL"].contains(String(name.prefix { $0 != "." }).uppercased()), "\(name)")
        }
    }

    @Test("long fields are cut equally, so that each is visible; the name keeps room for suffixes")
    func lengths() throws {
        let layout = try PathLayout("{course}/{course} - s01e{number:02} - {title}.{ext}")
        let name = LibraryName.stem(
            layout, course: String(repeating: "c", count: 400), title: String(repeating: "é", count: 400))
        #expect(name.utf8.count <= 215 && name.utf8.count > 200)
        #expect(name.count(where: { $0 == "c" }) > 90 && name.count(where: { $0 == "é" }) > 45)
        let short = LibraryName.stem(layout, course: "Short", title: String(repeating: "t", count: 400))
        #expect(short.hasPrefix("Short - s01e01 - ttt") && short.utf8.count == 215)
    }

    @Test("with any template, no name is longer than the limit")
    func bounds() throws {
        let layout = try PathLayout("{course}/" + String(repeating: "x{title}", count: 110) + ".{ext}")
        #expect(LibraryName.stem(layout, course: "c", title: String(repeating: "é", count: 300)).utf8.count <= 215)
    }
}
