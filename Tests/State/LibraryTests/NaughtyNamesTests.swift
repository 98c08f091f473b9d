import Checkout
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

@Suite("naughty strings as titles and ids")
struct NaughtyNamesTests {
    static let corpus = Corpora.folder("names")

    static func strings() throws -> [String] {
        guard let corpus else { return [] }
        let data = try Data(contentsOf: URL(filePath: corpus.appending("blns.json").string))
        return try JSONDecoder().decode([String].self, from: data)
    }

    @Test(
        "two different ones never share a file, and none leaves the library",
        .enabled(if: corpus != nil, "the corpora are not beside the checkout"))
    func onDisk() throws {
        let strings = try Self.strings()
        #expect(strings.count >= 500)
        let temporary = TemporaryFolder()
        let library = try LibraryFolder.testing(temporary.at("library"))
        var courses = TakenNames()
        var videos = TakenNames()
        var paths: Set<String> = []
        var keys: Set<String> = []
        for (index, text) in strings.enumerated() {
            // As a course's title; as a video's title at one position with itself as the id; as language and attachment.
            let course = courses.take(LibraryName.course(text), id: text)
            let stem = videos.take(LibraryName.video(text, position: 1), id: text)
            let attachment = videos.take(LibraryName.attachment(beside: stem, title: text), id: text)
            let names = [
                "\(course)/01 A.mp4", "Course/\(stem).mp4",
                "Course/" + LibraryName.subtitle(beside: stem, language: text),
                "Course/\(attachment).bin", "Course/\(videos.take("01 A", id: text)).mp4",
            ]
            for path in names {
                let partial = PartialName(download: Int64(index))
                _ = try library.partials.open(partial)
                #expect(keys.insert(LibraryName.key(path)).inserted, "\(path)")
                #expect(try library.placing.put(partial, at: path) == .placed, "\(path)")
                #expect(path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { $0.count <= 255 })
                paths.insert(path)
            }
        }
        let there = Set(temporary.names().filter { !$0.hasPrefix("library/.coursefetch") })
        let folders = Set(paths.map { "library/" + $0.split(separator: "/")[0] })
        let expected = Set(paths.map { "library/\($0)" }).union(folders).union(["library"])
        #expect(there.symmetricDifference(expected).isEmpty)
    }
}
