import CLibCurl
import CPlatform
import NetworkAddresses

/// libcurl's easy handles: made when none is idle, kept for the next request if libcurl allows that, with common TLS
/// sessions. Connections belong to the multi handle, and outlive them.
///
/// Belongs to the transfer thread.
final class EasyHandles {
    private static let mostIdle = 64

    /// Whether libcurl has the system's certificates as one file.
    private static let hasBundle = curl_version_info(CURLVERSION_EIGHTH).pointee.cainfo != nil

    /// Whether a handle can be reused for another request. With proxies from the environment none is: libcurl up to
    /// 8.20 keeps data meant for one of them for the next (CVE-2026-6253, -7168, -8927).
    static func mayKeepIdle(_ version: UInt32, isBehindProxy: Bool) -> Bool {
        CurlLibrary.keepsHandlesClean(version) && !isBehindProxy
    }

    private let configuration: TransferConfiguration
    private let keepsIdle: Bool
    private let share: OpaquePointerBox
    private(set) var idle: [UnsafeMutableRawPointer] = []

    /// A `CURLSH`, freed after the handles that use it.
    private struct OpaquePointerBox {
        var raw: UnsafeMutableRawPointer?
    }

    init(
        configuration: TransferConfiguration,
        keepsIdle: Bool = mayKeepIdle(CurlLibrary.versionNumber, isBehindProxy: EnvironmentProxy.current.isSet)
    ) {
        self.configuration = configuration
        self.keepsIdle = keepsIdle
        // libcurl allocates its buffer anew for each request, and segments of a stream have their size.
        cf_keep_freed_memory(4 << 20, 16 << 20)
        share = OpaquePointerBox(raw: curl_share_init())
        // One thread uses it, so that it needs no locks.
        if let raw = share.raw { cf_share_set_data(raw, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) }
    }

    deinit {
        removeAll()
        if let raw = share.raw { curl_share_cleanup(raw) }
    }

    func take() -> UnsafeMutableRawPointer {
        guard let easy = idle.popLast() ?? curl_easy_init() else { fatalError("curl_easy_init: out of memory") }
        return easy
    }

    /// A handle without options, for the next request of the same transfer; `easy` is invalid afterwards.
    func exchange(_ easy: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        giveBack(easy)
        return take()
    }

    func giveBack(_ easy: UnsafeMutableRawPointer) {
        guard keepsIdle, idle.count < Self.mostIdle else { return curl_easy_cleanup(easy) }
        curl_easy_reset(easy)
        idle.append(easy)
    }

    func removeAll() {
        idle.forEach(curl_easy_cleanup)
        idle = []
    }

    /// Sets the options common to all transfers.
    func configure(_ easy: UnsafeMutableRawPointer, isPaced: Bool) {
        cf_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        cf_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        cf_set_long(easy, CURLOPT_NOSIGNAL, 1)
        cf_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        cf_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // A transfer cancelled during a name look-up must not wait for that: it would delay all others.
        cf_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        // libcurl keeps and moves data of a throttled transfer: use small amounts then.
        cf_set_long(easy, CURLOPT_BUFFERSIZE, isPaced ? 32 << 10 : 512 << 10)
        cf_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent)
        if let caFile = configuration.caFile {
            cf_set_string(easy, CURLOPT_CAINFO, caFile)
        } else if Self.hasBundle {
            // The bundle alone: libcurl caches its parsed form only if there is no folder beside it, and parsing takes
            // 25 ms for each connection, during which all other transfers wait.
            cf_set_string(easy, CURLOPT_CAPATH, nil)
        }
        if let raw = share.raw { cf_set_pointer(easy, CURLOPT_SHARE, raw) }
    }
}
