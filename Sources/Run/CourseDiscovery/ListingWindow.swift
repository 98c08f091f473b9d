import CourseCatalog

/// What falls off the old end of a listing because as many newer videos came, as in a feed of the last hundred
/// episodes.
///
/// The age is the time of publication if every video has one, else the place: then the listing may begin with the
/// newest or with the oldest video.
struct ListingWindow {
    /// The indices of the fallen ones, in the last listing.
    let fallen: Set<Int>

    /// - Parameters:
    ///   - old: the indices of what a course took of the last listing, `known`.
    ///   - new: those of what it takes of the new one, `listed`.
    init(_ old: [Int], of known: ListingVideos, _ new: [Int], of listed: ListingVideos) {
        let (before, after) = (ListingIDs(old, of: known), ListingIDs(new, of: listed))
        let isLost = { (index: Int) in !after.contains(known.id(index), in: listed) }
        if old.allSatisfy({ known.publishedAt($0) != nil }), new.allSatisfy({ listed.publishedAt($0) != nil }) {
            let age = { (index: Int) in known.publishedAt(index) ?? 0 }
            let oldest = old.lazy.filter { !isLost($0) }.map(age).min() ?? .infinity
            let newest = old.lazy.map(age).max() ?? -.infinity
            let came = new.count { index in
                (listed.publishedAt(index) ?? 0) >= newest && !before.contains(listed.id(index), in: known)
            }
            let fell = old.filter { isLost($0) && age($0) <= oldest }.sorted { age($0) < age($1) }
            fallen = Set(fell.prefix(came))
        } else {
            let ids = ListingIDs(known.indices, of: known)
            let isNew = { (index: Int) in !ids.contains(listed.id(index), in: known) }
            let isTaken = { (index: Int) in after.contains(listed.id(index), in: listed) }
            let last = listed.indices.reversed().prefix(while: isNew).count(where: isTaken)
            let first = listed.indices.prefix(while: isNew).count(where: isTaken)
            let upwards = old.prefix(while: isLost).prefix(last)
            let downwards = old.reversed().prefix(while: isLost).prefix(first)
            fallen = Set(upwards.count >= downwards.count ? Array(upwards) : Array(downwards))
        }
    }
}
