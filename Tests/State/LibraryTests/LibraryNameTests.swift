import Testing

@testable import MediaLibrary

@Suite("names")
struct LibraryNameTests {
    @Test(
        "a title becomes a portable name",
        arguments: [
            ("Classical Mechanics", "Classical Mechanics"),
            ("a/b\\c:d*e?f\"g<h>i|j", "a_b_c_d_e_f_g_h_i_j"),
            ("tab\tnul\0bell\u{7}del\u{7F}c1\u{85}", "tab_nul_bell_del_c1_"),
            ("line\u{2028}paragraph\u{2029}", "line_paragraph_"),
            ("..", "__"), (".", "_"), ("", "_"), (" ", "_"), ("...hidden", "___hidden"), (".ssh", "_ssh"),
            ("Let's begin...", "Let's begin___"), ("trailing  ", "trailing__"), ("dot. .", "dot___"),
            ("wide blank\u{3000}", "wide blank_"), (" leading", " leading"), ("../../etc/passwd", "___.._etc_passwd"),
            ("e\u{301}te\u{301}", "\u{E9}t\u{E9}"), ("\u{212B}", "\u{C5}"),
            ("\u{202E}4pm.exe", "4pm.exe"), ("zero\u{200B}width\u{FEFF}", "zerowidth"), ("\u{200B}", "_"),
            ("noncharacter\u{FFFF}", "noncharacter_"),
            (
                "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}",
                "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}"
            ),
            ("👩‍💻 coding", "👩‍💻 coding"), ("講義 1", "講義 1"), ("e\u{200B}\u{301}", "\u{E9}"),
        ])
    func cleaning(title: String, name: String) {
        #expect(bytes(LibraryName.component(title)) == bytes(name))
    }

    @Test(
        "Windows device names get an underscore",
        arguments: [
            ("CON", "CON_"), ("con", "con_"), ("NUL.txt", "NUL_.txt"), ("Com1.a.b", "Com1_.a.b"), ("LPT¹", "LPT¹_"),
            ("AUX .x", "AUX_ .x"), ("CONIN$", "CONIN$_"), ("COM10", "COM10"), ("Console", "Console"),
            ("nulls", "nulls"),
        ])
    func devices(title: String, name: String) {
        #expect(LibraryName.course(title) == name)
    }

    @Test("positions have at least two digits", arguments: [(1, "01 A"), (9, "09 A"), (10, "10 A"), (100, "100 A")])
    func positions(position: Int, name: String) {
        #expect(LibraryName.video("A", position: position) == name)
        #expect(LibraryName.chapter("A", position: position) == name)
    }

    @Test(
        "no name is longer than 255 bytes, with all suffixes, and none is cut inside a character",
        arguments: ["a", "é", "講", "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}\u{302}"])
    func lengths(unit: String) throws {
        let title = String(repeating: unit, count: 400)
        #expect(LibraryName.course(title).utf8.count <= 255)
        #expect(LibraryName.chapter(title, position: 1000).utf8.count <= 255)
        let stem = LibraryName.video(title, position: 100)
        let language = String(repeating: "x", count: 400)
        #expect(LibraryName.subtitle(beside: stem, language: language, ordinal: 99).utf8.count <= 255)
        let longest = try #require(FileExtension("abcdefgh"))
        #expect(LibraryName.file(stem, longest).utf8.count <= 255)
        let distinct = LibraryName.distinct(stem, id: title, attempt: 1000)
        #expect(LibraryName.subtitle(beside: distinct, language: language, ordinal: 99).utf8.count <= 255)
        let attachment = LibraryName.attachment(beside: stem, title: title)
        #expect(LibraryName.file(attachment, longest).utf8.count <= 255)
        #expect(attachment.hasPrefix(stem + " - "))
        let letters = stem.dropFirst("100 ".count)
        let unit = NameCleaning.clean(unit)
        #expect(letters.allSatisfy { String($0) == unit } && letters.utf8.count > 255 - 40 - 4 - unit.utf8.count)
    }

    @Test("a single character that is longer than a name is cut between scalars")
    func zalgo() {
        let name = LibraryName.component("a" + String(repeating: "\u{331}", count: 5000))
        #expect(name.utf8.count > 250 && name.utf8.count <= 255)
    }

    @Test("sidecars share the video's name")
    func sidecars() throws {
        let stem = LibraryName.video("Lenses", position: 3)
        #expect(LibraryName.file(stem, try #require(FileExtension("mp4"))) == "03 Lenses.mp4")
        #expect(LibraryName.subtitle(beside: stem, language: "en") == "03 Lenses.en.vtt")
        #expect(LibraryName.subtitle(beside: stem, language: "en", ordinal: 2) == "03 Lenses.en.2.vtt")
        for (type, url, end) in [
            (nil, nil, "vtt"), ("text/vtt", "/a.srt", "vtt"), ("application/x-subrip", "/a", "srt"),
            ("text/plain", "https://h/a.en.srt?x", "srt"), ("application/ttml+xml", "/a.vtt", "ttml"),
            ("text/plain", "/a.exe", "vtt"),
        ] as [(String?, String?, String)] {
            #expect(LibraryName.subtitle("03.en.vtt", contentType: type, url: url) == "03.en.\(end)")
        }
        #expect(LibraryName.subtitle(beside: stem, language: "../../x") == "03 Lenses.______x.vtt")
        #expect(LibraryName.attachment(beside: stem, title: "Slides") == "03 Lenses - Slides")
    }

    @Test(
        "names that a file system treats as equal collide",
        arguments: [
            ("Intro", "intro"), ("STRASSE", "straße"), ("Σίσυφος", "ΣΊΣΥΦΟΣ"), ("e\u{301}", "\u{C9}"),
            ("a\u{200D}b", "ab"), ("heart\u{2764}\u{FE0F}", "heart\u{2764}"), ("\u{212A}", "k"), ("ＡＢ", "ａｂ"),
        ])
    func keys(one: String, other: String) {
        #expect(LibraryName.key(one) == LibraryName.key(other))
    }

    @Test("the later one gets its id, and then a number")
    func collisions() {
        var names = TakenNames()
        #expect(names.take("01 Intro", id: "a") == "01 Intro")
        #expect(names.take("01 INTRO", id: "b/../c") == "01 INTRO [b_.._c]")
        #expect(names.take("01 intro", id: "b/../C") == "01 intro [b_.._C 2]")
        names.insert("02 Other [x]")
        #expect(names.take("02 Other", id: "y") == "02 Other")
        #expect(names.take("02 Other", id: "x") == "02 Other [x 2]")
        #expect(names.isTaken("02 OTHER [X]"))
    }

    @Test(
        "a hundred thousand equal titles with ids that look equal all get different names", .timeLimit(.minutes(1)))
    func manyCollisions() {
        var names = TakenNames()
        var taken: Set<String> = []
        for _ in 0..<100_000 { taken.insert(names.take("01 A", id: "/")) }
        #expect(taken.count == 100_000)
    }

    @Test("two videos that swap names both get the plain one")
    func swap() {
        var names = TakenNames()
        names.insert("01 A")
        names.insert("02 B")
        names.release("01 A")
        names.release("02 B")
        #expect(names.take("02 B", id: "a") == "02 B")
        #expect(names.take("01 A", id: "b") == "01 A")
    }

    @Test(
        "a recorded name that already has the title stays",
        arguments: [
            ("01 A", true), ("01 A [x]", true), ("01 A [x 2]", true), ("01 A [x 17]", true), ("01 A [y]", false),
            ("02 A", false), ("01 A [x 0]", false), ("01 A [x 2", false), ("", false),
        ])
    func recorded(name: String, isSame: Bool) {
        #expect(LibraryName.isSame(name, as: "01 A", id: "x") == isSame)
    }

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
