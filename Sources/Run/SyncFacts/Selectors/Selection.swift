package import DownloadStore

/// The downloads that a command applies to: selectors, states, or both. Empty means everything.
package struct Selection: Sendable, Equatable {
    /// A video is selected if one of them matches it; an empty list matches all.
    package var selectors: [Selector]
    /// Only downloads in these states; nil allows any.
    package var states: Set<DownloadState>?

    package init(selectors: [Selector] = [], states: Set<DownloadState>? = nil) {
        self.selectors = selectors
        self.states = states
    }

    /// Whether a download is selected.
    package func contains(_ reference: VideoReference, state: DownloadState) -> Bool {
        if let states, !states.contains(state) { return false }
        return selectors.isEmpty || selectors.contains { $0.matches(reference) }
    }

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
