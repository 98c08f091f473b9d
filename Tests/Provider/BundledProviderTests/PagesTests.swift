import Foundation
import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

/// Listings in pages, and signed addresses.
@Suite struct PagesTests {
    private static func request(cursor: String? = nil, known: String? = nil) -> ListRequest {
        ListRequest(user: "anna", now: .now, course: .init(id: "c"), cursor: cursor, known: known)
    }

    private static func listing(_ count: Int, description: String? = nil) -> Listing {
        let videos = (0..<count).map { Listing.Video(id: "v\($0)", description: description) }
        return Listing(
            title: "T", chapters: [.init(id: "c", videos: Array(videos.dropFirst(3)))], videos: Array(videos.prefix(3)))
    }

    /// All pages, of a process that remembers or of a new one each time.
    private static func pages(_ listing: Listing, remembers: Bool) async throws -> [Listing] {
        let shared = ListingPages()
        var pages: [Listing] = []
        repeat {
            let source = remembers ? shared : ListingPages()
            let isFirst = pages.isEmpty
            pages.append(
                try await source.page(request(cursor: pages.last?.next)) { _ throws(ProviderError) in
                    #expect(isFirst || !remembers, "it is read once")
                    return .whole(listing, validator: nil)
                })
        } while pages.last?.next != nil
        return pages
    }

    @Test("pages have every video once, in order, and fit into a line", arguments: [true, false])
    func pages(remembers: Bool) async throws {
        for (count, description, expected) in [
            (0, nil, 1), (3, nil, 1), (1000, nil, 1), (1001, nil, 2), (2500, nil, 3),
            (100, String(repeating: "\u{1}", count: 4096), 5...7),
        ] as [(Int, String?, Any)] {
            let listing = Self.listing(count, description: description)
            let pages = try await Self.pages(listing, remembers: remembers)
            if let expected = expected as? Int { #expect(pages.count == expected) }
            if let expected = expected as? ClosedRange<Int> {
                #expect(expected.contains(pages.count), "\(pages.count)")
            }
            #expect(
                pages.flatMap { $0.videos + $0.chapters.flatMap(\.videos) }.map(\.id) == (0..<count).map { "v\($0)" })
            for page in pages { #expect(try JSONEncoder().encode(page).count < 1 << 20) }
            #expect(pages[0].title == "T" && pages[0].known != nil && pages.dropFirst().allSatisfy { $0.known == nil })
        }
    }

    @Test("an equal listing is unchanged, another one isn't, and a validator comes back")
    func known() async throws {
        let pages = ListingPages()
        let first = try await pages.page(Self.request()) { validator throws(ProviderError) in
            #expect(validator == nil)
            return .whole(Self.listing(5), validator: "\"e tag\"\nThu")
        }
        let known = try #require(first.known)
        #expect(known.utf8.count < 4096)
        let equal = try await pages.page(Self.request(known: known)) { validator throws(ProviderError) in
            #expect(validator == "\"e tag\"\nThu")
            return .whole(Self.listing(5), validator: "new")
        }
        #expect(equal.unchanged && equal.known != known)
        #expect(
            try await pages.page(Self.request(known: known)) { _ throws(ProviderError) in .unchanged }
                == Listing(known: known, unchanged: true))
        for (other, count) in [(known, 6), ("0 " + known.dropFirst(2), 5), ("nonsense", 5), ("", 5)] {
            let answer = try await pages.page(Self.request(known: other)) { validator throws(ProviderError) in
                #expect((validator == nil) == (other != known))
                return .whole(Self.listing(count), validator: String(repeating: "x", count: 5000))
            }
            #expect(!answer.unchanged && answer.known?.utf8.count ?? 0 < 100, "a long validator is left out")
        }
    }

    @Test("a course that changes while it is listed by two processes is asked for again")
    func changed() async throws {
        let first = try await ListingPages().page(Self.request()) { _ throws(ProviderError) in
            .whole(Self.listing(1500), validator: nil)
        }
        let request = Self.request(cursor: first.next)
        await #expect(throws: ProviderError(.unavailable, "the course changed while it was listed")) {
            try await ListingPages().page(request) { _ throws(ProviderError) in
                .whole(Self.listing(1501), validator: nil)
            }
        }
    }

    @Test("the presigned address of Amazon's own example is Amazon's")
    func presigned() throws {
        let signer = S3Signer(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            sessionToken: nil, region: "us-east-1", seconds: 1_369_353_600)
        let address = try #require(WebAddress("https://examplebucket.s3.amazonaws.com/test.txt"))
        #expect(
            signer.presigned(address, lifetime: 86_400).text == """
                https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
                &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
                &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
                &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404
                """)
    }

    @Test(
        "a duration is seconds or a clock",
        arguments: [
            ("3723", 3723), ("62:03", 3723), ("1:02:03", 3723), ("12.5", 12.5), ("", nil), ("a", nil), ("1:2:3:4", nil),
            ("-5", nil), ("0", nil), ("nan", nil), ("1e300", nil),
        ] as [(String, Double?)])
    func durations(_ text: String, _ seconds: Double?) { #expect(FeedReader.seconds(text) == seconds) }
}
