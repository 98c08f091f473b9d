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

    static func unusable(_ provider: String, _ reason: String) -> ProviderError {
        ProviderError(.providerFailed, "provider '\(provider)' can't be used: \(reason)")
    }
}
