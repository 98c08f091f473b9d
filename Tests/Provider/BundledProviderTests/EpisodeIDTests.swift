import ProviderKit
import Testing

@testable import BundledProviders

@Suite("the ids of a feed's episodes")
struct EpisodeIDTests {
    private static let key = "https://feeds.example.org/u/a8f3K2m9Qz71LxPw0aBc/1.mp3"

    @Test("an address that may be a secret of its reader is listed as a digest; every other id is listed as it is")
    func listed() {
        for plain in [
            "lecture 1", "tag:example.org,2026:1", "https://example.org/2026/the-21st-lecture-of-the-term.mp4",
        ] {
            #expect(EpisodeID.listed(plain, ofPrivateFeed: false) == plain)
        }
        for secret in ["https://example.org/?p=1", "https://u:p@example.org/1.mp4", Self.key] {
            let id = EpisodeID.listed(secret, ofPrivateFeed: false)
            #expect(id.hasPrefix("id-") && id.utf8.count == 35, "\(id)")
        }
        #expect(EpisodeID.listed("https://example.org/1.mp4", ofPrivateFeed: true).hasPrefix("id-"))
        #expect(EpisodeID.listed("lecture 1", ofPrivateFeed: true) == "lecture 1")
    }

    @Test("an episode is found under both of its ids, and lists the older one for those who know it")
    func formerly() {
        let id = EpisodeID.hidden(Self.key)
        #expect(EpisodeID.isSame(id, as: Self.key) && EpisodeID.isSame(Self.key, as: Self.key))
        #expect(!EpisodeID.isSame(EpisodeID.hidden("other"), as: Self.key))
    }
}
