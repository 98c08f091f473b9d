package import DownloadStore
package import SyncFacts

/// A selection of the downloads in several states, such as those of all shards: each has a part of it.
package enum SharedSelection {
    /// The settled part that each state has; nil for one that has none of it. Throws if a selector may mean several
    /// videos of a state, or matches none in any; then with a suggestion.
    ///
    /// - Parameters:
    ///   - stores: nil for a state that doesn't exist.
    ///   - leftOut: why other states can't be read: what matches no video here may be there.
    package static func parts(
        of selection: Selection, in stores: [DownloadStore?], leftOut: [Refusal] = []
    ) throws(Refusal) -> [Selection?] {
        guard !selection.selectors.isEmpty else { return stores.map { _ in selection } }
        var parts = [[Selector]](repeating: [], count: stores.count)
        var unmatched: [UnmatchedSelector] = []
        for given in selection.selectors {
            let selector: Selector
            do { selector = try StoredSelection.settled(given, among: stores.compactMap(\.self)) } catch {
                throw Refusal(any: error)
            }
            var isMatched = false
            var suggestion = UnmatchedSelector(selector, among: [])
            for (index, store) in stores.enumerated() {
                guard let store else { continue }
                var one = selection
                one.selectors = [selector]
                do throws(Refusal) {
                    parts[index] += try StoredSelection(one, in: store).selection.selectors
                    isMatched = true
                } catch .selection(.unmatched(let missing)) {
                    if suggestion.suggestion == nil, let found = missing.first { suggestion = found }
                }
            }
            if !isMatched { unmatched.append(suggestion) }
        }
        // Of several mistakes the first one is told, as in one state.
        if let first = unmatched.first { throw leftOut.first ?? .selection(.unmatched([first])) }
        return parts.map { selectors in
            guard !selectors.isEmpty else { return nil }
            var part = selection
            part.selectors = selectors
            return part
        }
    }
}
