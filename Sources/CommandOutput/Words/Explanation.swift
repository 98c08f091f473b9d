/// What a person is told about something that went wrong: what failed, by name, and why; and what to do next.
struct Explanation: Sendable, Equatable {
    /// One or two sentences that name the thing.
    var problem: String
    /// What to do; nil where nothing needs doing.
    var remedy: String?
    /// A command to paste, which the remedy introduces.
    var command: String?

    /// Remedy and command as one text.
    var advice: String? {
        guard let remedy else { return command }
        return command.map { "\(remedy): \($0)" } ?? remedy
    }
}
