package import Foundation
package import ProviderKit

/// The result of a login at one provider, to be passed back in every request.
package struct StoredCredentials: Sendable, Equatable {
    /// As the provider gave them.
    package var credentials: Secret<JSONValue>
    /// Their expiry; nil if it isn't known.
    package var expiresAt: Date?
    /// The time when they were stored.
    package var savedAt: Date

    package init(credentials: Secret<JSONValue>, expiresAt: Date? = nil, savedAt: Date) {
        self.credentials = credentials
        self.expiresAt = expiresAt
        self.savedAt = savedAt
    }
}
