/// An explanation of an error for the user: what failed, why, and the next step.
struct Explanation: Sendable, Equatable {
    /// One or two sentences that name the thing.
    var problem: String
    /// The remedy; nil if none is needed.
    var remedy: String?
    /// A command to paste, which the remedy introduces.
    var command: String?

    /// Remedy and command as one text.
    var advice: String? {
        guard let remedy else { return command }
        return command.map { "\(remedy): \($0)" } ?? remedy
    }
}
