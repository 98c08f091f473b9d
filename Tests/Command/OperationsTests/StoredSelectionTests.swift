import DownloadStore
import FileSystem
import Foundation
import RunAccess
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@Suite("Selectors over the rows of a state")
struct StoredSelectionTests {
    let folder = TemporaryFolder()

    private struct Video: Hashable {
        var course: String
        var chapter: String?
        var video: String
        var title: String

        var reference: VideoReference { VideoReference(course: course, chapter: chapter, video: video, title: title) }
    }

    private func store(_ videos: [Video]) throws -> DownloadStore {
        let store = try DownloadStore(path: folder.at("state.sqlite").string, role: .holder)
        var changes = ReconcileChanges()
        let courses = Set(videos.map(\.course)).sorted()
        changes.courses = courses.enumerated().map {
            CourseRecord(id: $1, file: "/c.yaml", ordinal: $0, title: $1, folder: "C\($0)")
        }
        let first = try store.downloads.nextID()
        changes.new = videos.enumerated().map { number, video in
            let fields = CatalogFields(
                chapter: video.chapter, title: video.title, position: number, ordinal: Int64(number),
                provider: "direct", source: [1], priority: 0, extras: nil, stem: "\(number)", expectedSize: nil,
                expectedSHA256: nil)
            return .init(
                id: DownloadID(rawValue: first + Int64(number)),
                key: DownloadKey(course: video.course, video: video.video), fields: fields)
        }
        try store.catalogs.apply(changes)
        return store
    }

    private static let ids = [
        "a", "ab", "b", "abc", "A", "é", "e\u{301}", "éa", "z%", "z_", "\\", "\u{10FFFF}", "a\u{10FFFF}b", "\u{D7FF}",
        "\u{D7FF}x", "\u{E000}", "[x]", "a*", "a?", "10", "title:x",
    ]
    private static let titles = [
        "Lens", "lens%", "LENS_", "Linse", "Größe", "\u{212A}elvin", "kelvin", "İ", "a\\b", "", "\t",
    ]

    @Test("a query lets through exactly what a selector matches, once it is compared with it")
    func matches() throws {
        var dice = SystemRandomNumberGenerator()
        func some<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &dice)] }
        var videos: [DownloadKey: Video] = [:]
        for _ in 0..<400 {
            let video = Video(
                course: some(Self.ids), chapter: Bool.random() ? some(Self.ids) : nil, video: some(Self.ids),
                title: some(Self.titles))
            videos[DownloadKey(course: video.course, video: video.video)] = video
        }
        let store = try store(Array(videos.values))
        defer { store.close() }
        var references: [VideoReference] = []
        try store.downloads.each { references.append($0.reference) }
        #expect(references.count == videos.count)
        func part() -> String {
            let id = some(Self.ids)
            let written = Glob.encoded(id)
            let first = Glob.encoded(String(id.unicodeScalars.prefix(1)))
            return some([written, "*", "\(first)*", "\(first)?*", "*\(written)", "[!q]*", "[a-f]*", written, written])
        }
        var found = 0
        for _ in 0..<3000 {
            let title = some(Self.titles.filter { !$0.isEmpty })
            let text = some([
                part(), "\(part())/\(part())", "\(part())/\(part())/\(part())", "title:\(title)",
                "title:\(title.prefix(1))*", "title:*\(title.suffix(2))", "title:?\(title.dropFirst())", "title:[a-l]*",
            ])
            let selector = try Selector(text)
            let expected: Result<[VideoReference], AmbiguousSelector>
            do throws(AmbiguousSelector) {
                let settled = try selector.settled(among: references)
                expected = .success(references.filter(settled.matches))
            } catch { expected = .failure(error) }
            do throws(Refusal) {
                let selection = try StoredSelection(Selection(selectors: [selector]), in: store)
                guard case .success(let wanted) = expected else {
                    Issue.record("\(text) has several meanings")
                    continue
                }
                var chosen: [VideoReference] = []
                do {
                    try store.downloads.each(selection.selection.filter(countsSidecars: false)) { row in
                        if selection.selection.contains(row.reference, state: row.state) {
                            chosen.append(row.reference)
                        }
                    }
                } catch { Issue.record(error) }
                #expect(chosen == wanted, "\(text)")
                #expect(selection.named.count == (wanted.count == 1 ? 1 : 0), "\(text)")
                found += wanted.count
            } catch {
                switch (error, expected) {
                case (.selection(.unmatched), .success(let none)): #expect(none.isEmpty, "\(text)")
                case (.selection(.ambiguous(let told)), .failure(let ambiguous)):
                    #expect(Set(told.meanings) == Set(ambiguous.meanings), "\(text)")
                default: Issue.record(error, "\(text)")
                }
            }
        }
        #expect(found > 1000)
    }

    @Test("of more selectors than a query takes, each is looked up")
    func many() throws {
        let videos = (0..<1500).map { Video(course: "c\($0 % 7)", chapter: "k", video: "v\($0)", title: "T") }
        let store = try store(videos)
        defer { store.close() }
        let selection = Selection(
            selectors: videos.filter { $0.course != "c3" }.map { Selector($0.reference) }, states: [.waiting])
        let stored = try StoredSelection(selection, in: store)
        var count = 0
        try store.downloads.each(stored.selection.filter(countsSidecars: false)) { row in
            if stored.selection.contains(row.reference, state: row.state) { count += 1 }
        }
        #expect(count == selection.selectors.count && stored.named.count == count)
    }

    @Test("a selector without matches is refused with a suggestion, though another one matches")
    func unmatched() throws {
        let videos = ["phys101", "zoo"].map { Video(course: $0, chapter: "kin", video: "v", title: "T") }
        let store = try store(videos)
        defer { store.close() }
        let wrong = Selection(selectors: [try Selector("phys101"), try Selector("phys101/kim")])
        do {
            _ = try StoredSelection(wrong, in: store)
            Issue.record("it was taken")
        } catch {
            guard case .selection(.unmatched(let selectors)) = error else { throw error }
            #expect(selectors.map(\.selector) == [try Selector("phys101/kim")])
            #expect(selectors.first?.suggestion == (try Selector("phys101/kin")))
        }
        _ = try StoredSelection(Selection(selectors: [try Selector("zoo")]), in: store)
        _ = try StoredSelection(Selection(), in: store)
    }
}
