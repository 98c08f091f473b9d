extension String {
    /// The title in at most 1,024 bytes, which is all that the protocol takes; what is cut off has a mark in its place.
    var boundTitle: String {
        let (bound, mark) = (1024, "…")
        guard utf8.count > bound else { return self }
        var end = utf8.index(startIndex, offsetBy: bound - mark.utf8.count)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end]) + mark
    }
}
