import CourseCatalog

/// What falls off the old end of a listing because as many newer videos came, as in a feed of the last hundred episodes.
///
/// The age is the time of publication if every video has one, else the place: then the listing may begin with the newest
/// or with the oldest video.
struct ListingRoll {
    /// The ids of the fallen ones.
    let fallen: Set<String>

    /// - Parameters:
    ///   - old: what a course took of the last listing, `known`.
    ///   - new: what it takes of the new one, `listed`.
    init(
        _ old: [CourseListing.Video], of known: [CourseListing.Video], _ new: [CourseListing.Video],
        of listed: [CourseListing.Video]
    ) {
        let (before, after) = (Set(old.map(\.id)), Set(new.map(\.id)))
        let isLost = { (video: CourseListing.Video) in !after.contains(video.id) }
        let isAdded = { (video: CourseListing.Video) in !before.contains(video.id) }
        if (old + new).allSatisfy({ $0.publishedAt != nil }) {
            let age = { (video: CourseListing.Video) in video.publishedAt ?? 0 }
            let oldest = old.filter { !isLost($0) }.map(age).min() ?? .infinity
            let newest = old.map(age).max() ?? -.infinity
            let came = new.count { isAdded($0) && age($0) >= newest }
            let fell = old.filter { isLost($0) && age($0) <= oldest }.sorted { age($0) < age($1) }
            fallen = Set(fell.prefix(came).map(\.id))
        } else {
            let ids = Set(known.map(\.id))
            let isNew = { (video: CourseListing.Video) in !ids.contains(video.id) }
            let last = listed.reversed().prefix(while: isNew).count { after.contains($0.id) }
            let first = listed.prefix(while: isNew).count { after.contains($0.id) }
            let upwards = old.prefix(while: isLost).prefix(last)
            let downwards = old.reversed().prefix(while: isLost).prefix(first)
            fallen = Set(upwards.count >= downwards.count ? upwards.map(\.id) : downwards.map(\.id))
        }
    }
}
