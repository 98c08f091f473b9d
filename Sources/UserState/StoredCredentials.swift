package import Foundation
package import ProviderKit

/// What a login at one provider left, to be handed back in every request.
package struct StoredCredentials: Sendable, Equatable {
    /// As the provider gave them.
    package var credentials: Secret<JSONValue>
    /// When they stop being good; nil if that isn't known.
    package var expiresAt: Date?
    /// When they were stored.
    package var savedAt: Date

    package init(credentials: Secret<JSONValue>, expiresAt: Date? = nil, savedAt: Date) {
        self.credentials = credentials
        self.expiresAt = expiresAt
        self.savedAt = savedAt
    }
}
