package import ProviderKit

extension ProviderError.Kind {
    /// The condition of a run whose courses couldn't be listed for this reason; nil if something else reports it.
    package var listingCondition: SyncCondition? {
        switch self {
        case .authRequired: .loginNeeded
        case .unavailable, .rateLimited, .notReady, .machineExhausted: .workLeft
        case .pluginFault, .providerFailed, .unsupported, .renewalNeeded: .providerBroken
        case .forbidden, .geoBlocked, .notFound, .gone, .drm, .invalidParameters: .downloadsFailed
        case .cancelled: nil
        }
    }
}
