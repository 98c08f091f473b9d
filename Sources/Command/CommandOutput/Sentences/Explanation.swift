/// An explanation of an error for the user: what failed, why, and the next step.
package struct Explanation: Sendable, Equatable {
    /// One or two sentences that name the thing.
    package var problem: String
    /// The remedy; nil if none is needed.
    package var remedy: String?
    /// A command to paste, which the remedy introduces.
    package var command: String?

    /// Remedy and command as one text.
    package var advice: String? {
        guard let remedy else { return command }
        return command.map { "\(remedy): \($0)" } ?? remedy
    }
}
