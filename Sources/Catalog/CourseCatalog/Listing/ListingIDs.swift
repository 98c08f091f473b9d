/// The ids of some videos of a listing: a hash and a place for each, instead of a second copy of all of them.
package struct ListingIDs: Sendable {
    private var places: [Int: UInt32] = [:]
    /// Ids whose hash is that of another one.
    private var others: Set<String> = []

    /// None.
    package init() {}

    /// Those of the videos at `indices`.
    package init(_ indices: some Collection<Int>, of videos: ListingVideos) {
        places.reserveCapacity(indices.count)
        for index in indices { insert(videos.id(index), at: index, of: videos) }
    }

    /// Adds the id of the video at `index`, which is there now or later. False if the id was there before.
    @discardableResult
    package mutating func insert(_ id: String, at index: Int, of videos: ListingVideos) -> Bool {
        let hash = id.hashValue
        guard let place = places[hash] else {
            places[hash] = UInt32(clamping: index)
            return true
        }
        return videos.has(id, at: Int(place)) ? false : others.insert(id).inserted
    }

    /// Whether a video has this id. `videos` are those that the ids are of.
    package func contains(_ id: String, in videos: ListingVideos) -> Bool {
        guard let place = places[id.hashValue] else { return false }
        return videos.has(id, at: Int(place)) || others.contains(id)
    }
}
