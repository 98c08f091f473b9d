/// The failure of a download. Contains no secret: the query of URLs is removed before.
package struct DownloadError: Sendable, Equatable, Error {
    /// The kinds of docs/json.md; raw values are promised to readers of the JSON events.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case authRequired = "auth_required"
        case forbidden
        case geoBlocked = "geo_blocked"
        case notFound = "not_found"
        case gone
        case drm
        case notReady = "not_ready"
        case rateLimited = "rate_limited"
        case unavailable
        case invalidParameters = "invalid_parameters"
        case httpStatus = "http_status"
        case urlRefused = "url_refused"
        case network
        case tls
        case stalled
        case truncated
        case tooLong = "too_long"
        case tooLarge = "too_large"
        case sizeMismatch = "size_mismatch"
        case checksumMismatch = "checksum_mismatch"
        case notMedia = "not_media"
        case identityChanged = "identity_changed"
        case providerFailed = "provider_failed"
        case needsFFmpeg = "needs_ffmpeg"
        case rejectedByHook = "rejected_by_hook"
        case disk
        case bug

        /// Whether the cause may be gone later, by time or after an action of the user. False if a host has given a
        /// time to wait, or the catalog itself has to change.
        package var mayPass: Bool {
            switch self {
            case .drm, .invalidParameters, .rateLimited: false
            default: true
            }
        }
    }

    package var kind: Kind
    /// One sentence for the user, without its full stop.
    ///
    /// It is stored with the row and repeated by later versions, in `status` and in JSON. So it is made where the error
    /// arises, in files called `DownloadError+…`: the only text for users that the rooms beneath `CommandOutput` write.
    package var message: String
    /// The last HTTP status, if there was one.
    package var status: Int?

    package init(kind: Kind, message: String, status: Int? = nil) {
        self.kind = kind
        self.message = message
        self.status = status
    }
}
