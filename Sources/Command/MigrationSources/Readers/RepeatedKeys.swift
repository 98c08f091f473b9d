/// Which of several records with one key counts: a finished one, else the first.
struct RepeatedKeys {
    private var best: [String: (number: Int, isFinished: Bool)] = [:]

    /// Notes a record by its place in the source.
    mutating func note(_ key: String, _ number: Int, isFinished: Bool) {
        if let known = best[key], known.isFinished || !isFinished { return }
        best[key] = (number, isFinished)
    }

    /// Whether another record with this key counts.
    func isRepeated(_ key: String, _ number: Int) -> Bool { best[key].map { $0.number != number } ?? false }
}
