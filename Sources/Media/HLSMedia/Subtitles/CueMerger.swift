/// Merges cues that segments repeat, or that were cut at the border of two segments.
struct CueMerger: Sendable {
    /// The difference in milliseconds within which two times count as equal: times of the media are rounded.
    private static let tolerance: Int64 = 2

    /// The properties that have to be equal.
    private struct Look: Hashable {
        var settings: String
        var payload: String
    }

    private struct Entry {
        var cue: WebVTTCue
        /// The last segment that has it.
        var segment: Int
    }

    /// A look and a start.
    private struct Place: Hashable {
        var look: Int
        var start: Int64
    }

    private var entries: [Entry] = []
    private var looks: [Look: Int] = [:]
    /// The latest entry of each look.
    private var latest: [Int: Int] = [:]
    /// The latest entry of each look and start.
    private var placed: [Place: Int] = [:]

    /// Adds a cue, segment after segment.
    ///
    /// It is merged with an earlier one of the same look if the times are the same; or if the latest one is in the
    /// segment before and continues until this one begins, or beyond. If they only touch, different identifiers keep
    /// them apart. Two cues of one segment stay two, however similar, unless the times are the same.
    mutating func add(_ cue: WebVTTCue, segment: Int) {
        let look = Look(settings: cue.settings, payload: cue.payload)
        let number = looks[look, default: looks.count]
        looks[look] = number
        if let index = same(cue, number) ?? continued(cue, number, segment) {
            entries[index].cue.start = min(entries[index].cue.start, cue.start)
            entries[index].cue.end = max(entries[index].cue.end, cue.end)
            entries[index].segment = segment
        } else {
            latest[number] = entries.count
            placed[Place(look: number, start: cue.start)] = entries.count
            entries.append(Entry(cue: cue, segment: segment))
        }
    }

    /// The cues by start; those with the same start in the order of arrival.
    func ordered() -> [WebVTTCue] {
        entries.enumerated()
            .sorted { ($0.element.cue.start, $0.offset) < ($1.element.cue.start, $1.offset) }
            .map(\.element.cue)
    }

    private func same(_ cue: WebVTTCue, _ look: Int) -> Int? {
        (-Self.tolerance...Self.tolerance).lazy
            .compactMap { placed[Place(look: look, start: cue.start + $0)] }
            .first { abs(entries[$0].cue.end - cue.end) <= Self.tolerance }
    }

    private func continued(_ cue: WebVTTCue, _ look: Int, _ segment: Int) -> Int? {
        guard let index = latest[look], segment == entries[index].segment + 1 else { return nil }
        let earlier = entries[index].cue
        guard cue.end + Self.tolerance >= earlier.start else { return nil }
        if cue.start + Self.tolerance < earlier.end { return index }
        let areAlike = cue.identifier == earlier.identifier || cue.identifier.isEmpty || earlier.identifier.isEmpty
        return areAlike && cue.start <= earlier.end + Self.tolerance ? index : nil
    }
}
