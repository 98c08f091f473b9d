extension Selection {
    /// Settles the meaning of each selector among these videos, which are requested only if necessary.
    package func settled(
        among videos: () throws(Refusal) -> [VideoReference]
    ) throws(Refusal) -> Selection {
        guard selectors.contains(where: \.mayLackItsChapter) else { return self }
        let videos = try videos()
        var settled = self
        do throws(AmbiguousSelector) {
            settled.selectors = try selectors.map { selector throws(AmbiguousSelector) in
                try selector.settled(among: videos)
            }
        } catch {
            throw .selection(.ambiguous(error))
        }
        return settled
    }
}
