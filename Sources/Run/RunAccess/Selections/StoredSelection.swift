package import DownloadStore
package import SyncFacts

/// A selection of the downloads in a state. Each of its selectors is settled, and matches a video.
package struct StoredSelection: Sendable {
    package let selection: Selection
    /// The downloads that a selector names by their ids alone: it matches no other one.
    package private(set) var named: Set<DownloadID> = []

    /// Throws if a selector may mean several videos, or matches none; then with a suggestion.
    package init(_ selection: Selection, in store: DownloadStore) throws(Refusal) {
        do {
            var settled = selection
            settled.selectors = try selection.selectors.map { try Self.settled($0, store) }
            self.selection = settled
            for selector in settled.selectors {
                var videos = StoredVideos(of: selector, store)
                guard let first = try videos.next() else {
                    throw Refusal.selection(
                        .unmatched([UnmatchedSelector(selector, among: StoredVideos.Suggested(store))]))
                }
                if try videos.next() == nil { named.insert(first.id) }
            }
        } catch { throw Refusal(any: error) }
    }

    private static func settled(_ selector: Selector, _ store: DownloadStore) throws -> Selector {
        try settled(selector, among: [store])
    }

    /// What a selector means in several states.
    static func settled(_ selector: Selector, among stores: [DownloadStore]) throws -> Selector {
        guard selector.mayLackItsChapter else { return selector }
        var references: [VideoReference] = []
        for store in stores {
            var ofChapter = StoredVideos(of: selector, store)
            if try ofChapter.next() != nil { return selector }
        }
        for store in stores {
            var others = StoredVideos(of: selector.asVideo, store)
            while let video = try others.next() { references.append(video.reference) }
        }
        do throws(AmbiguousSelector) { return try selector.settled(among: references) } catch {
            throw Refusal.selection(.ambiguous(error))
        }
    }
}

/// The videos in a state that a selector matches, in the order of ids, read some at a time.
struct StoredVideos {
    private let selector: Selector?
    private let store: DownloadStore
    private var page: ArraySlice<DownloadTable.Video> = []
    private var last: DownloadID?
    private var size = 2

    /// - Parameter selector: nil for all.
    init(of selector: Selector?, _ store: DownloadStore) {
        self.selector = selector
        self.store = store
    }

    mutating func next() throws(StoreError) -> (id: DownloadID, reference: VideoReference)? {
        while true {
            while let video = page.popFirst() {
                last = video.id
                let reference = VideoReference(
                    course: video.key.course, chapter: video.chapter, video: video.key.video, title: video.title)
                if selector?.matches(reference) ?? true { return (video.id, reference) }
            }
            // Mostly the first ones are enough.
            size = min(size * 8, 1000)
            let filter = DownloadFilter(places: selector.map { [$0.place] } ?? [])
            page = try store.downloads.videos(filter, after: last, atMost: size)[...]
            if page.isEmpty { return nil }
        }
    }

    /// All videos, for a suggestion: it ends where the state can't be read.
    struct Suggested: Sequence, IteratorProtocol {
        private var videos: StoredVideos

        init(_ store: DownloadStore) { videos = StoredVideos(of: nil, store) }

        mutating func next() -> VideoReference? { (try? videos.next())?.reference }
    }
}
