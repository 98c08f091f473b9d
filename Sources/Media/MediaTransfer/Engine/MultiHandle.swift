import CLibCurl

/// Owns a `curl_multi`. Everything but ``wakeUp()`` belongs to the transfer thread.
///
/// `@unchecked Sendable`: `curl_multi_wakeup` is the one function that libcurl allows on any thread at any time
/// (curl_multi_wakeup(3)); the handle is freed with the last reference, so never under a caller of it.
final class MultiHandle: @unchecked Sendable {
    /// libcurl requires one call per process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    let raw: UnsafeMutableRawPointer

    init() {
        guard Self.isLibraryReady, let raw = curl_multi_init() else { fatalError("curl_multi_init: out of memory") }
        self.raw = raw
    }

    deinit { curl_multi_cleanup(raw) }

    func wakeUp() { curl_multi_wakeup(raw) }
}
