package import DownloadStore

extension Selector {
    /// The place of its videos, as far as SQLite can tell.
    package var place: DownloadFilter.Place {
        var place = DownloadFilter.Place()
        place.course = course.filter
        place.chapter = chapter?.filter
        place.video = video?.filter
        place.asciiTitle = title?.asciiPattern
        return place
    }
}

extension Selection {
    /// What a query lets through of it.
    ///
    /// - Parameter countsSidecars: whether a video with a sidecar that failed counts as failed.
    package func filter(countsSidecars: Bool) -> DownloadFilter {
        var states = states
        // One that was interrupted is shown as suspended.
        if states?.contains(.suspended) == true { states?.insert(.active) }
        return DownloadFilter(
            places: selectors.map(\.place), states: states,
            takesMissingSidecars: countsSidecars && states?.contains(.failed) == true)
    }
}
