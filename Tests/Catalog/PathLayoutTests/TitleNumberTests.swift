import Testing

@testable import PathLayout

@Suite("numbers at the beginning of titles")
struct TitleNumberTests {
    @Test(
        "a number is left out with its word and its separator",
        arguments: [
            ("01 - Intro", "Intro"), ("1. Intro", "Intro"), ("1) Intro", "Intro"), ("12: Intro", "Intro"),
            ("01- Intro", "Intro"), ("7 – Intro", "Intro"), ("7 — Intro", "Intro"), ("7 | Intro", "Intro"),
            ("01_Intro", "Intro"), ("01_ Intro", "Intro"), ("  3. Heat", "Heat"), ("3.  Heat", "Heat"),
            ("3.2 Heat", "Heat"), ("3.2. Heat", "Heat"), ("3.2: Heat", "Heat"), ("1.4.10 - Heat", "Heat"),
            ("(4) Foo", "Foo"), ("[04] Foo", "Foo"), ("(4) - Foo", "Foo"), ("【01】热力学", "热力学"), ("（1） 热", "热"),
            ("#12: Foo", "Foo"), ("#1024 - Foo", "Foo"),
            ("Lecture 3: Heat", "Heat"), ("LECTURE 03 - Heat", "Heat"), ("Lecture 3. Heat", "Heat"),
            ("Lecture 3.2: Heat", "Heat"), ("Ep. 1024 | Heat", "Heat"), ("Ep12 - Heat", "Heat"),
            ("No. 5: Heat", "Heat"),
            ("Part 2 – Heat", "Heat"), ("Vorlesung 7: Wärme", "Wärme"), ("Leçon 3 : Chaleur", "Chaleur"),
            ("Lec\u{327}on 3: Chaleur", "Chaleur"), ("Tema 3. Calor", "Calor"),
            ("第3讲 热力学", "热力学"), ("第三讲：热力学", "热力学"), ("第０３回 熱", "熱"), ("第2部分 热", "热"), ("第十二章、热", "热"),
            ("01.热力学", "热力学"), ("3、热力学", "热力学"), ("3：热力学", "热力学"), ("٣. حرارة", "حرارة"),
            ("1. 3D printing", "3D printing"), ("Module 2: Lesson 3: Heat", "Lesson 3: Heat"),
            // What can't be told from a list.
            ("(500) Days of Summer", "Days of Summer"), ("300: Rise of an Empire", "Rise of an Empire"),
            ("1.5 Degrees", "Degrees"),
        ])
    func leftOut(title: String, rest: String) {
        #expect(TitleNumber.left(outOf: title) == rest)
        #expect(title.utf8CString.withUnsafeBytes { TitleNumber.mayBegin(.init(rebasing: $0.dropLast())) })
    }

    @Test(
        "what isn't a number of a list, or has nothing else, stays",
        arguments: [
            "2001: A Space Odyssey", "3D printing", "1984", "7 habits", "12 Angry Men", "01 Intro", "1.Intro",
            "01-Intro",
            "9-1-1", "3-D films", "24:30", "3:2 pulldown", "1/12 Heat", "1st: Heat", "50% - Heat", "1,000 Ways", "8½",
            "2026-10-05 - Heat", "05.10.2026 Heat", "20261005 - Heat", "3.2", "3.", "1. ", "4 - ", "(4)", "#3",
            "#3 Heat",
            "(a) Heat", "(4)Heat", "(2000) Heat", "(4/10) Heat", "Lecture 3", "Lecture 3:", "Lecture 3: -",
            "Lecture 3 Heat", "Lecture: Heat", "Lecture three: Heat", "Part 2 of 3: Heat", "Part 1/3: Heat",
            "Exam 2: Heat", "Apollo 13: Heat", "Area 51 - Heat", "Lectures 1: Heat", "第3讲", "第3讲热力学", "第三人称 视角", "第讲 热",
            "Part II: Heat", "", " ", "Heat", "Heat 3: more", "-1 - Heat", "Lecture      3: Heat", "      3. Heat",
        ])
    func whole(title: String) {
        #expect(TitleNumber.left(outOf: title) == title)
    }
}
