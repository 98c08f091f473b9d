import CourseCatalog
import Foundation
import Testing
import YAMLSource

@Suite("Includes") struct IncludeTests {
    private func course(_ id: String) -> String { "version: 1\ncourses: [{id: \(id), videos: [v]}]\n" }

    @Test("included courses follow in the order of the names, globs sorted by their bytes")
    func order() throws {
        let folder = try CatalogFolder([
            "catalog.yaml": """
            version: 1
            include: [z.yaml, "courses/2026-*.yaml", z.yaml]
            defaults: {provider: p}
            courses: [{id: own, videos: [v]}]
            """,
            "z.yaml": course("z"), "courses/2026-b.yaml": course("b"), "courses/2026-B.yaml": course("B"),
            "courses/2026-ä.yaml": course("ae"), "courses/2025-a.yaml": course("old"),
        ])
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        #expect(reading.catalog.courses.map(\.id) == ["own", "z", "B", "b", "ae"])
        #expect(
            reading.catalog.files.map(\.path)
                == ["catalog", "z", "courses/2026-B", "courses/2026-b", "courses/2026-ä"].map {
                    "\(folder.path)/\($0).yaml"
                })
        #expect(reading.catalog.courses.map(\.file) == [0, 1, 2, 3, 4])
    }

    @Test("the defaults of the including file apply beneath those of the included file")
    func defaults() throws {
        let folder = try CatalogFolder([
            "catalog.yaml":
                "version: 1\ninclude: b.yaml\ndefaults: {provider: p, priority: 1, parameters: {a: 1, b: 1}}\n",
            "b.yaml": "version: 1\ninclude: sub/c.yaml\ndefaults: {priority: 2, parameters: {b: 2}}\n",
            "sub/c.yaml":
                "version: 1\ndefaults: {parameters: {a: null, c: 3}}\ncourses: [{id: c, videos: [v], cover: x.jpg}]\n",
        ])
        let reading = folder.read()
        #expect(folder.report(reading) == "")
        let video = try #require(reading.catalog.videos.first)
        #expect(video.provider.name == "p" && video.priority == 2)
        #expect(video.provider.location.file == folder.path + "/catalog.yaml")
        #expect(video.settings.parametersJSON == #"{"b":2,"c":3}"#)
        #expect(video.cover == .file("x.jpg", beneath: folder.path + "/sub"))
        #expect(video.settings.parameters["b"]?.location.file == folder.path + "/b.yaml")
    }

    @Test(
        "a failed include is reported at its line",
        arguments: [
            ("nothing-*.yaml", "2:10: no file matches 'nothing-*.yaml' in FOLDER", CatalogReading.Verdict.invalid),
            ("gone.yaml", "2:10: the include 'gone.yaml' can't be read: No such file or directory", .unreadable),
            ("catalog.yaml", "2:10: the include 'catalog.yaml' includes this file itself", .invalid),
            ("c*.yaml", "2:10: the include 'c*.yaml' includes this file itself", .invalid),
            ("sub", "2:10: the include 'sub' is a folder; a catalog is a file", .unreadable),
            ("su?", "2:10: FOLDER/sub, which the include 'su?' means, is a folder; a catalog is a file", .unreadable),
            ("/dev/null", "2:10: the include '/dev/null' is not a regular file; a catalog is a file", .unreadable),
            (
                "loop1.yaml", "2:10: the include 'loop1.yaml' includes this file itself through FOLDER/loop2.yaml",
                .invalid
            ),
        ])
    func refused(pattern: String, expected: String, verdict: CatalogReading.Verdict) throws {
        let folder = try CatalogFolder([
            "catalog.yaml": "version: 1\ninclude: \(pattern)\ncourses: [{id: a, provider: p, videos: [v]}]\n",
            "sub/x.txt": "", "loop1.yaml": "version: 1\ninclude: loop2.yaml\n",
            "loop2.yaml": "version: 1\ninclude: loop1.yaml\n",
        ])
        let reading = folder.read()
        #expect(folder.messages(reading).first == expected)
        #expect(reading.verdict == verdict)
    }

    @Test(
        "an included file that is no catalog isn't quoted, whatever is in it",
        arguments: [
            "hunter2\n", "hunter2: hunter2\n", "root:hunter2:0:0:/root:/bin/sh\n", "- hunter2\n", "{hunter2",
            "\u{7}hunter2: [",
            "version: '3'\nhunter2: x\n", "name: hunter2\ncourses: [{id: hunter2}]\n",
        ])
    func secrets(text: String) throws {
        let folder = try CatalogFolder(["catalog.yaml": "version: 1\ninclude: secret\n", "secret": text])
        let reading = folder.read()
        #expect(
            folder.messages(reading) == ["2:10: the include 'secret' isn't a catalog: it lacks 'version: 1'"])
        #expect(!"\(reading.diagnostics)".contains("hunter2") && reading.verdict == .invalid)
    }

    @Test("eight levels of includes are read, a ninth is not")
    func depth() throws {
        var files = ["catalog.yaml": "version: 1\ninclude: 1.yaml\ndefaults: {provider: p}\n"]
        for level in 1...9 { files["\(level).yaml"] = "version: 1\ninclude: \(level + 1).yaml\n" }
        files["8.yaml"] = course("deep")
        #expect(try CatalogFolder(files).read().verdict == .valid)
        files["8.yaml"] = "version: 1\ninclude: 9.yaml\n"
        files["9.yaml"] = course("deeper")
        let folder = try CatalogFolder(files)
        #expect(folder.messages(folder.read()) == ["2:10: files are included more than 8 levels deep"])
    }

    @Test("a run reads a thousand files and no more")
    func files() throws {
        var files = ["catalog.yaml": "version: 1\ninclude: 'sub/*.yaml'\ndefaults: {provider: p}\n"]
        for number in 1000..<2000 { files["sub/\(number).yaml"] = course("c\(number)") }
        let folder = try CatalogFolder(files)
        #expect(folder.messages(folder.read()) == ["2:10: a run reads at most 1000 files"])
        try FileManager.default.removeItem(atPath: folder.path + "/sub/1500.yaml")
        #expect(folder.read().catalog.courses.count == 999)
    }

    @Test("a file is read once, however it is reached, and a second include is reported")
    func once() throws {
        let folder = try CatalogFolder([
            "catalog.yaml": "version: 1\ninclude: [a.yaml, b.yaml]\ndefaults: {provider: p}\n",
            "a.yaml": "version: 1\ninclude: shared.yaml\n", "b.yaml": "version: 1\ninclude: link.yaml\n",
            "shared.yaml": course("s"),
        ])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link.yaml", withDestinationPath: "shared.yaml")
        let reading = folder.read("catalog.yaml", "catalog.yaml", "shared.yaml")
        #expect(reading.verdict == .valid)
        #expect(reading.catalog.courses.map(\.id) == ["s"])
        #expect(
            folder.messages(reading) == [
                "2:10: warning: FOLDER/shared.yaml is included at FOLDER/a.yaml:2:10 already; "
                    + "a file is read once, with the settings from there"
            ])
    }

    @Test("several catalogs are one run, in which course ids are unique")
    func severalCatalogs() throws {
        let folder = try CatalogFolder([
            "a.yaml": "version: 1\ncourses:\n  - {id: x, provider: p, videos: [v]}\n",
            "b.yaml":
                "version: 1\ncourses:\n  - {id: y, provider: p, videos: [v]}\n  - {id: x, provider: p, videos: [v]}\n",
        ])
        #expect(
            folder.messages(folder.read("a.yaml", "b.yaml")) == [
                "4:10: the course id 'x' is already used at FOLDER/a.yaml:3:10; ids of courses must differ in a run"
            ])
        let reading = folder.read("a.yaml", "gone.yaml")
        #expect(reading.verdict == .unreadable)
        #expect(folder.report(reading) == "gone.yaml: error: can't be read: No such file or directory\n")
    }

    @Test("a folder whose name looks like a pattern is matched literally")
    func strangeFolder() throws {
        let folder = try CatalogFolder([
            "a [1]*/catalog.yaml": "version: 1\ninclude: 'c?.yaml'\ndefaults: {provider: p}\n",
            "a [1]*/c1.yaml": course("one"), "a 1x/c2.yaml": course("two"),
        ])
        #expect(folder.read("a [1]*/catalog.yaml").catalog.courses.map(\.id) == ["one"])
    }

    @Test("all files of a run share one bound on their length")
    func length() throws {
        let folder = try CatalogFolder([
            "catalog.yaml": "version: 1\ninclude: [a.yaml]\ndefaults: {provider: p}\n",
            "a.yaml": course("a") + String(repeating: "#", count: 1000),
        ])
        var limits = YAMLLimits.catalog
        limits.bytes = 1000
        #expect(
            folder.messages(folder.read(limits: limits)) == [
                "0:0: the catalogs of a run can't be larger than 256 MiB in total"
            ])
    }

    @Test("paths in messages have the form used on the command line")
    func shownPaths() throws {
        let folder = try CatalogFolder([
            "catalog.yaml": "version: 1\ninclude: [sub/a.yaml]\n", "sub/a.yaml": "version: 2\n",
        ])
        #expect(folder.report(folder.read()).hasPrefix("sub/a.yaml:1:10: error: "))
        try FileManager.default.createDirectory(atPath: folder.path + "/elsewhere", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/elsewhere/link.yaml", withDestinationPath: "../catalog.yaml")
        #expect(folder.report(folder.read("elsewhere/link.yaml")).hasPrefix("sub/a.yaml:1:10: error: "))
    }
}
