/// Suggests similar names.
package enum NearestName {
    /// The candidate nearest to `name`, or nil if none is within a third of its length (at least one edit).
    ///
    /// Distance is Levenshtein over characters with transposition of neighbours, ignoring letter case; of several
    /// equally near ones the first wins. Names longer than 64 characters get no suggestion.
    package static func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased())
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        let limit = max(1, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.lowercased())
            guard abs(other.count - wanted.count) <= limit else { continue }
            let distance = distance(wanted, other)
            if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.name
    }

    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1] + [Int](repeating: 0, count: b.count)
            for j in b.indices {
                row[j + 1] = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
