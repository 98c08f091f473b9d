import Foundation
import Testing

@testable import CourseCatalog

@Suite("patterns of includes")
struct PatternWalkTests {
    @Test("what a pattern matches, as in a shell")
    func matches() throws {
        let folder = try CatalogFolder([
            "a/1.yaml": "", "a/2.yaml": "", "b/1.yaml": "", "a/sub/1.yaml": "", ".hidden/1.yaml": "", "a/.x.yaml": "",
            "[c]/1.yaml": "",
        ])
        for (pattern, expected) in [
            ("*/1.yaml", ["[c]/1.yaml", "a/1.yaml", "b/1.yaml"]), ("a/?.yaml", ["a/1.yaml", "a/2.yaml"]),
            ("[ab]/*.yaml", ["a/1.yaml", "a/2.yaml", "b/1.yaml"]), ("*/*/*", ["a/sub/1.yaml"]),
            (".h*/1.yaml", [".hidden/1.yaml"]), ("\\[c\\]/*", ["[c]/1.yaml"]), ("a/../b/*", ["a/../b/1.yaml"]),
            ("none/*", []), ("*/none", []),
        ] {
            var walk = PatternWalk()
            #expect(walk.matches(pattern, in: folder.path) == expected.map { "\(folder.path)/\($0)" }, "\(pattern)")
            #expect(!walk.isOver)
        }
    }

    @Test("a pattern that matches too many names is given up early, and refused at its line")
    func bound() throws {
        let names = (0..<40).map { "\($0 / 10)/\($0).yaml" }
        let folder = try CatalogFolder(Dictionary(uniqueKeysWithValues: names.map { ($0, "") }))
        var walk = PatternWalk(bound: 30)
        _ = walk.matches("*/*", in: folder.path)
        #expect(walk.isOver)
        walk = PatternWalk(bound: 30)
        #expect(walk.matches("1/*", in: folder.path).count == 10 && !walk.isOver)
        try folder.write("version: 1\ninclude: /*/*/*/*/*/*/*\n", to: "catalog.yaml")
        let messages = folder.messages(folder.read())
        #expect(messages.count == 1)
        #expect(
            messages.first?.hasPrefix("2:10: the include '/*/*/*/*/*/*/*' matches more than 100000 names") == true
                || messages == ["2:10: a run reads at most 1000 files"], "\(messages)")
    }
}
