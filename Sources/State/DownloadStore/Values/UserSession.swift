package import Foundation

/// Whether a user is logged in, and the number of changes to that.
package struct UserSession: Sendable, Equatable {
    /// Logged in.
    package var isOpen: Bool
    /// Raised by every login and logout, of the user or of one provider.
    package var generation: Int64
    /// The generation of the user's last logout; 0 if there was none.
    package var closedGeneration: Int64
    /// When it was opened or closed last.
    package var changedAt: Date

    package init(isOpen: Bool, generation: Int64, closedGeneration: Int64, changedAt: Date) {
        self.isOpen = isOpen
        self.generation = generation
        self.closedGeneration = closedGeneration
        self.changedAt = changedAt
    }

    /// The session of the account's own user, who has neither logged in nor out yet: open.
    package static let initial = UserSession(isOpen: true, generation: 0, closedGeneration: 0, changedAt: .distantPast)
}
