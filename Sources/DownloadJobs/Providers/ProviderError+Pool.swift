import ProviderKit

/// Why a provider can't be asked, as the protocol's errors say it; a download's error repeats it.
extension ProviderError {
    static func unknown(_ provider: String) -> ProviderError {
        ProviderError(.providerFailed, "there is no provider '\(provider)'")
    }

    static func unusable(_ provider: String, _ reason: String) -> ProviderError {
        ProviderError(.providerFailed, "provider '\(provider)' can't be used: \(reason)")
    }
}
