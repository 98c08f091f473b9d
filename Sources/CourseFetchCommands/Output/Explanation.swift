/// What a person is told about something that went wrong: what failed, by name, and why; and what to do next.
struct Explanation: Sendable, Equatable {
    /// One or two sentences that name the thing.
    var problem: String
    /// What to do, with a command to paste where there is one; nil where nothing needs doing.
    var remedy: String?
}
