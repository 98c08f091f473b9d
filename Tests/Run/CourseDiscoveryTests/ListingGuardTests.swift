import CourseCatalog
import Foundation
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import CourseDiscovery

@Suite("Whether a listing is believed")
struct ListingGuardTests {
    private let folder = TemporaryFolder()
    private static let noon = Date(timeIntervalSince1970: 1_795_262_400)

    private func course(_ discover: String = "true") throws -> Course {
        try folder.write(
            "version: 1\ncourses:\n  - {id: c, provider: p, discover: \(discover)}\n", to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        return reading.catalog.courses[0]
    }

    /// Videos with the number of their day as id and date; `undated` without the date.
    private func listing(_ days: some Sequence<Int>, prefix: String = "", isDated: Bool = true) -> CourseListing {
        var listing = CourseListing()
        for day in days {
            var video = CourseListing.Video(id: "\(prefix)\(day)")
            video.publishedAt = isDated ? Double(day) * 86_400 : nil
            listing.videos.append(video)
        }
        return listing
    }

    private func lost(
        _ old: CourseListing, _ new: CourseListing, _ course: Course, limit: MaxDelete = .standard,
        doubt: ListingGuard.Doubt? = nil, askedAt: Double = -1000,
        hours: Double = 0
    ) -> (lost: Int, doubt: ListingGuard.Doubt?) {
        switch ListingGuard.verdict(
            old: old, new: new, of: course, limit: limit, doubt: doubt, askedAt: Self.noon + askedAt * 3600,
            now: Self.noon + hours * 3600)
        {
        case .believed: (0, nil)
        case .doubted(let lost, _, let doubt): (lost, doubt)
        }
    }

    @Test("videos count, not their number: as many others are no substitute, not even newer ones")
    func others() throws {
        let course = try course()
        #expect(lost(listing(1...30), listing(1...30, prefix: "x"), course).lost == 30)
        #expect(lost(listing(1...30), listing(101...130), course).lost == 30)
        // Whatever may be deleted.
        #expect(lost(listing(1...30), listing(101...130), course, limit: .percent(100)).lost == 30)
        // One always may go, unless it was all that there is.
        #expect(lost(listing(1...1), listing(2...2), course).lost == 0)
        #expect(lost(listing(1...1), listing([]), course).lost == 1)
        #expect(lost(listing(1...30), listing(Array(1...20) + Array(101...110).map { -$0 }), course).lost == 10)
    }

    @Test("what falls off the old end because as many newer ones came isn't lost", arguments: [true, false])
    func rolling(isDated: Bool) throws {
        let course = try course()
        let old = listing(1...100, isDated: isDated)
        #expect(lost(old, listing(31...130, isDated: isDated), course).lost == 0)
        // Only twelve came, and forty went.
        #expect(lost(old, listing(41...112, isDated: isDated), course).lost == 28)
        // They went at the new end.
        #expect(lost(old, listing(1...70, isDated: isDated), course).lost == 30)
        // The newest first.
        let reversed = listing((1...100).reversed(), isDated: isDated)
        #expect(lost(reversed, listing((31...130).reversed(), isDated: isDated), course).lost == 0)
        #expect(lost(reversed, listing((1...70).reversed(), isDated: isDated), course).lost == 30)
    }

    @Test("newest is guarded: what newer videos drop isn't lost, what it would drop otherwise is")
    func newest() throws {
        let course = try course("{newest: 3}")
        #expect(lost(listing(1...10), listing(1...13), course).lost == 0)
        #expect(lost(listing(1...10), listing(1...12), course).lost == 0)
        // All dates are gone, so that the first ones in the listing are the last.
        let undated = listing((1...10).reversed(), isDated: false)
        #expect(lost(listing(1...10), undated, course).lost == 3)
        let reordered = listing(Array(4...10) + Array(1...3), isDated: false)
        #expect(lost(listing(1...10, isDated: false), reordered, course).lost == 3)
        #expect(lost(listing(1...10, isDated: false), listing(1...13, isDated: false), course).lost == 0)
        // The newest ones are gone.
        #expect(lost(listing(1...10), listing(1...8), course).lost == 2)
    }

    @Test("a listing that was doubted while the clock was behind is doubted anew when the clock is right")
    func clockBehind() throws {
        let (course, old) = (try course(), listing(1...100))
        let behind = try #require(lost(old, listing(1...80), course, askedAt: 48, hours: 0).doubt)
        #expect(behind.since == Self.noon)
        let again = try #require(lost(old, listing(1...80), course, doubt: behind, askedAt: 48, hours: 49).doubt)
        #expect(again.since == Self.noon + 49 * 3600)
        #expect(lost(old, listing(1...80), course, doubt: again, askedAt: 48, hours: 69).lost == 0)
        // The last listing came while the clock was ahead: its time says nothing.
        #expect(lost(old, listing(1...80), course, doubt: behind, askedAt: 1000, hours: 20).lost == 0)
    }

    @Test("a second listing is believed only if it lacks nothing more than the doubted one, 20 hours later")
    func likeIt() throws {
        let course = try course()
        let old = listing(1...100)
        let first = try #require(lost(old, listing(1...80), course).doubt)
        #expect(lost(old, listing(1...80), course, doubt: first, hours: 0.1).doubt == first)
        #expect(lost(old, listing(1...80), course, doubt: first, hours: 20).lost == 0)
        #expect(lost(old, listing(1...85), course, doubt: first, hours: 20).lost == 0)
        let other = try #require(lost(old, listing(1...70), course, doubt: first, hours: 20).doubt)
        #expect(other.since == Self.noon + 20 * 3600)
        #expect(lost(old, listing([]), course, doubt: first, hours: 20).lost == 100)
        #expect(lost(old, listing(21...100), course, doubt: first, hours: 20).lost == 20)
    }

    @Test("a doubt of a time to come begins again")
    func clock() throws {
        let course = try course()
        let doubt = try #require(lost(listing(1...100), listing(1...80), course, hours: 1000).doubt)
        #expect(lost(listing(1...100), listing(1...80), course, doubt: doubt).doubt?.since == Self.noon)
    }
}
