import ProviderKit

/// The reasons why a provider can't be asked, as errors of the protocol; a download's error repeats them.
extension ProviderError {
    static func unknown(_ provider: String) -> ProviderError {
        ProviderError(.providerFailed, "there is no provider '\(provider)'")
    }

    /// By a login of a credential helper.
    static func asks(for name: String) -> ProviderError {
        ProviderError(.authRequired, "it asks for '\(name)', which the helper doesn't have")
    }

    static let needsPerson = ProviderError(.authRequired, "its login needs a person at a terminal")

    /// Another process has the turn to renew a login, and doesn't come to an end.
    static func renewalTakesLong(_ provider: String) -> ProviderError {
        ProviderError(.unavailable, "another process has been renewing the login of provider '\(provider)' for long")
    }

    static let notNeeded = ProviderError(.cancelled, "the answer isn't needed any more")

    static func unusable(_ provider: String, _ reason: String) -> ProviderError {
        ProviderError(.providerFailed, "provider '\(provider)' can't be used: \(reason)")
    }
}
