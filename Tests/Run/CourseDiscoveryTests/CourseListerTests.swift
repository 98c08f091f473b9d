import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import ProviderKit
import SyncFacts
import Synchronization
import SystemPackage
import TestSupport
import Testing
import YAMLSource

@testable import CourseDiscovery

/// A provider whose answers are given, and what it was asked.
private final class Answers: Sendable {
    private let state: Mutex<(answers: [Result<Listing, ProviderError>], requests: [ListRequest])>

    init(_ answers: [Result<Listing, ProviderError>]) { state = Mutex((answers, [])) }

    var requests: [ListRequest] { state.withLock { $0.requests } }

    func next(_ request: ListRequest) throws(ProviderError) -> Listing {
        try state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty
                ? .failure(ProviderError(.unavailable, "none left")) : state.answers.removeFirst()
        }.get()
    }
}

@Suite("Courses that their providers list")
struct CourseListerTests {
    private let folder = TemporaryFolder()
    private let store: DownloadStore
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    init() throws { store = try DownloadStore.empty() }

    private func course(_ lines: String) throws -> Course {
        try folder.write("version: 1\ncourses:\n  - id: c\n    provider: p\n\(lines)\n", to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        return reading.catalog.courses[0]
    }

    private func ask(
        _ course: Course, _ answers: Answers, now: Date = noon, acceptsAll: Bool = false
    ) async throws -> CourseLister.Outcome {
        let lister = CourseLister(
            user: "anna", settings: HostSettings(), store: store,
            rules: .init(maxDelete: .standard, acceptsAll: acceptsAll), now: { now }, check: { _, _ in nil }
        ) { request, _ throws(ProviderError) in try answers.next(request) }
        return await lister.list(course, parameters: [:], try store.listings.records()["c"])
    }

    private func videos(_ ids: ClosedRange<Int>) -> [Listing.Video] { ids.map { .init(id: "\($0)", title: "T\($0)") } }

    private func name(_ outcome: CourseLister.Outcome) -> String {
        switch outcome {
        case .listed(let listing, let was, _, _):
            "listed \(listing.videos.count), was \(was.map { "\($0)" } ?? "none")"
        case .unchanged: "unchanged"
        case .doubted(let lost, let count): "doubted \(lost) of \(count)"
        case .failed(let error, let last): "failed \(error.kind.rawValue), last \(last == nil ? "never" : "known")"
        case .unrecorded: "unrecorded"
        }
    }

    @Test("a listing is kept whole, and read back as it was; the provider gets its known text back")
    func kept() async throws {
        let course = try course("    discover: true")
        let listing = Listing(
            title: "Title", cover: "https://h/c.jpg",
            chapters: [
                .init(
                    id: "k", title: "K",
                    videos: [
                        .init(
                            id: "e\u{301}", title: "T", description: "D", publishedAt: Self.noon, duration: 61.5,
                            cover: "https://h/v.jpg", parameters: ["n": 1, "deep": ["a": [true, .null, "x"]]], size: 7,
                            sha256: String(repeating: "aB", count: 32),
                            subtitleFiles: [.init(lang: "en", url: "https://h/s.vtt")],
                            attachments: [.init(title: "A", url: "https://h/a.pdf")], episode: 31,
                            checksums: .init(crc32: "CBF43926"), availableAt: Self.noon.addingTimeInterval(3600),
                            resolved: .init(url: "https://h/secret"))
                    ], season: 2)
            ], videos: [.init(id: "2")], known: "etag")
        let answers = Answers([.success(listing), .success(listing), .success(Listing(unchanged: true))])
        #expect(name(try await ask(course, answers)) == "listed 2, was none")
        let record = try #require(try store.listings.records()["c"])
        let stored = try StoredListing.read(record, of: course, store)
        #expect(
            stored.title == "Title" && stored.cover == "https://h/c.jpg" && stored.videos.map(\.id) == ["2", "\u{E9}"])
        let video = stored.videos[1]
        #expect(video.writtenID == "e\u{301}" && video.summary == "D" && video.duration == 61.5 && video.size == 7)
        #expect(video.date == "2026-11-21" && video.sha256 == (0..<32).map { _ in 0xAB })
        #expect(video.subtitleFiles == [SubtitleFile(language: "en", url: "https://h/s.vtt")])
        #expect(video.attachments == [Attachment(title: "A", url: "https://h/a.pdf")])
        #expect(video.checksums?.text == "crc32:cbf43926")
        #expect(video.availableAt == Self.noon.timeIntervalSince1970 + 3600)
        #expect(video.episode == 31 && stored.chapters.map(\.season) == [2])
        #expect(ListingPages.storedText(video.parameters) == #"{"deep":{"a":[true,null,"x"]},"n":1}"#)
        // The same again is no change, however the provider says so.
        #expect(name(try await ask(course, answers)) == "unchanged")
        #expect(name(try await ask(course, answers)) == "unchanged")
        #expect(answers.requests.map(\.known) == [nil, "etag", "etag"])
    }

    @Test("with other parameters a course is another one: nothing of its last listing is used")
    func otherQuestion() async throws {
        let answers = Answers([
            .success(Listing(videos: videos(1...5), known: "k")), .failure(ProviderError(.forbidden, "no")),
        ])
        _ = try await ask(try course("    discover: true"), answers)
        let other = try course("    parameters: {channel: x}\n    discover: true")
        #expect(name(try await ask(other, answers)) == "failed forbidden, last never")
        #expect(answers.requests.map(\.known) == [nil, nil])
    }

    @Test(
        "a listing that shrinks too much is doubted until one like it comes 20 hours later; a smaller loss is believed")
    func doubt() async throws {
        let course = try course("    discover: true")
        let answers = Answers([
            .success(Listing(videos: videos(1...30), known: "all")), .success(Listing(videos: videos(1...28))),
            .success(Listing()), .success(Listing(videos: videos(1...20))), .success(Listing(videos: videos(1...20))),
        ])
        _ = try await ask(course, answers)
        #expect(name(try await ask(course, answers)) == "listed 28, was 30")
        #expect(name(try await ask(course, answers)) == "doubted 28 of 28")
        // It lacks nothing that the first one had.
        #expect(name(try await ask(course, answers, now: Self.noon + 19.9 * 3600)) == "doubted 8 of 28")
        #expect(try store.listings.contents(of: "c").videos.count == 28)
        #expect(name(try await ask(course, answers, now: Self.noon + 20 * 3600)) == "listed 20, was 28")
        #expect(try store.listings.records()["c"]?.doubtedAt == nil)
    }

    @Test("a doubt is over when the last listing comes again; --accept-listing has none")
    func doubtEnds() async throws {
        let course = try course("    discover: true")
        let all = Listing(videos: videos(1...30), known: "all")
        let answers = Answers([
            .success(all), .success(Listing()), .success(Listing(unchanged: true)), .success(Listing()),
            .success(Listing()),
        ])
        _ = try await ask(course, answers)
        #expect(name(try await ask(course, answers)) == "doubted 30 of 30")
        #expect(name(try await ask(course, answers, now: Self.noon + 86_400)) == "unchanged")
        #expect(name(try await ask(course, answers, now: Self.noon + 2 * 86_400)) == "doubted 30 of 30")
        #expect(
            name(try await ask(course, answers, now: Self.noon + 2 * 86_400, acceptsAll: true)) == "listed 0, was 30")
    }

    @Test("a video that has no title any more keeps the last one, and its date; that isn't a change")
    func titlesStay() async throws {
        let course = try course("    discover: true")
        let named = Listing.Video(id: "e\u{301}", title: "T", publishedAt: Self.noon)
        let later = Self.noon + 86_400
        let answers = Answers([
            .success(Listing(videos: [.init(id: "a"), named])),
            .success(Listing(videos: [.init(id: "a"), .init(id: "\u{e9}")])),
            .success(Listing(videos: [.init(id: "a"), .init(id: "e\u{301}", publishedAt: later)])),
            .success(Listing(videos: [.init(id: "a", title: "A"), .init(id: "e\u{301}", title: "U")])),
        ])
        func stored() throws -> [String] {
            try store.listings.contents(of: "c").videos.map {
                "\($0.title ?? "-") \($0.publishedAt.map { Int($0.timeIntervalSince(Self.noon)) } ?? -1)"
            }
        }
        #expect(name(try await ask(course, answers)) == "listed 2, was none")
        #expect(name(try await ask(course, answers)) == "listed 2, was 2", "it is spelled in another way")
        #expect(try stored() == ["- -1", "T 0"])
        #expect(name(try await ask(course, answers)) == "listed 2, was 2")
        #expect(try stored() == ["- -1", "T 86400"])
        #expect(name(try await ask(course, answers)) == "listed 2, was 2")
        #expect(try stored() == ["A -1", "U -1"])
    }

    @Test("what may pass in seconds is waited for; what may not, isn't")
    func retried() async throws {
        let course = try course("    discover: true")
        let limit = ProviderError(.rateLimited, "slowly", retryAfter: .milliseconds(1))
        let answers = Answers([.failure(limit), .failure(limit), .success(Listing(videos: videos(1...2)))])
        #expect(name(try await ask(course, answers)) == "listed 2, was none")
        let hours = ProviderError(.rateLimited, "tomorrow", retryAfter: .seconds(3600))
        let late = Answers([.failure(hours), .success(Listing())])
        #expect(name(try await ask(course, late)) == "failed rate_limited, last known")
        #expect(late.requests.count == 1)
    }

    @Test("a course is asked at each sync, or as often as it says, and only if its videos may be selected")
    func due() throws {
        try folder.write(
            """
            version: 1
            defaults: {provider: p}
            courses:
              - {id: always, discover: true}
              - {id: seldom, discover: {every: 6h}}
              - {id: written, videos: [v]}
            """, to: "c.yaml")
        let catalog = CatalogReader.read([folder.at("c.yaml").string]).catalog
        let records = Dictionary(
            uniqueKeysWithValues: catalog.courses.map {
                ($0.id, ListingRecord(course: $0.id, question: StoredListing.question(of: $0), askedAt: Self.noon))
            })
        func due(_ hours: Double, _ only: [String] = []) throws -> [Int] {
            CourseLister.due(
                catalog, records, only: try only.map { try Selector($0) }, now: Self.noon + hours * 3600)
        }
        #expect(try due(5.9) == [0] && due(6) == [0, 1] && due(-1) == [0, 1])
        #expect(try due(7, ["seldom/*/x"]) == [1] && due(7, ["written"]) == [] && due(7, ["title:x*"]) == [0, 1])
    }
}
