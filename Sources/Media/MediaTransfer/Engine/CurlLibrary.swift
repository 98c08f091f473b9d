import CLibCurl
import Foundation
import TextFormats

/// The libcurl in use, and its certificate authorities.
package enum CurlLibrary {
    /// The version that it reports: `7.88.1`.
    package static var version: String { text(facts.version) ?? "unknown" }

    /// Its TLS library: `OpenSSL/3.0.17`; nil without one.
    package static var tlsLibrary: String? { text(facts.ssl_version) }

    /// The compiled-in file of certificate authorities; nil if there is none.
    package static var authorityFile: String? { text(facts.cainfo) }

    /// The compiled-in folder of certificate authorities; nil if there is none.
    package static var authorityFolder: String? { text(facts.capath) }

    /// As a number: 0x075801.
    static var versionNumber: UInt32 { facts.version_num }

    /// Whether a reset handle of this version keeps nothing of the previous response.
    ///
    /// Before 8.1.0 it kept a freed pointer to the last header field: a response whose first field begins with a blank
    /// was then appended to that (curl#11101, fixed by #11103).
    static func keepsHandlesClean(_ version: UInt32) -> Bool { version >= 0x08_01_00 }

    private static var facts: curl_version_info_data { curl_version_info(CURLVERSION_EIGHTH).pointee }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
}

/// The clock of a server, by the `Date` of its response to a HEAD request.
package enum ServerTime {
    /// Requests `url` once, without following redirects; any status is accepted. Blocks for at most `limit` seconds.
    ///
    /// - Returns: the offset of the server's clock from ours in seconds, positive if it is ahead, to within the second
    ///   that `Date` has and half of the response time; nil if the response has no `Date`, or comes from a cache.
    package static func skew(of url: String, caFile: String?, limit: Int = 15) throws(TransferFailure) -> Double? {
        guard let parsed = ParsedURL(url), let easy = curl_easy_init() else {
            throw .invalidRequest("the URL is malformed")
        }
        defer { curl_easy_cleanup(easy) }
        HostNameEncoding.useUTF8()
        var configuration = TransferConfiguration()
        configuration.caFile = caFile
        let handles = EasyHandles(configuration: configuration)
        handles.configure(easy, isPaced: false)
        let date = FieldBox()
        cf_set_string(easy, CURLOPT_URL, parsed.text)
        cf_set_long(easy, CURLOPT_NOBODY, 1)
        cf_set_long(easy, CURLOPT_TIMEOUT, limit)
        cf_set_pointer(easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(date).toOpaque())
        cf_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, box in
            guard let bytes, let box else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            Unmanaged<FieldBox>.fromOpaque(box).takeUnretainedValue().take(line)
            return size * count
        }
        let before = Date()
        let code = withExtendedLifetime((date, handles)) { curl_easy_perform(easy) }
        let after = Date()
        // A server that doesn't support HEAD closes the connection, and may have sent its date before.
        if let failure = code.failure(of: easy), date.seconds == nil { throw failure }
        guard let seconds = date.seconds else { return nil }
        // Truncated to a second: its middle is the best estimate.
        let ours = before.timeIntervalSince1970 + after.timeIntervalSince(before) / 2
        return Double(seconds) + 0.5 - ours
    }

    /// Receives the fields from the header callback.
    private final class FieldBox {
        private var date: Int64?
        private var isCached = false
        var seconds: Int64? { isCached ? nil : date }

        func take(_ line: UnsafeRawBufferPointer) {
            guard line.count < 128, let text = String(validating: line, as: UTF8.self) else { return }
            let name = text.prefix { $0 != ":" }.lowercased()
            if name == "age" { isCached = true }
            guard name == "date" else { return }
            let value = text.dropFirst(5).trimmingCharacters(in: .whitespacesAndNewlines)
            date = HTTPDate.seconds(value, now: Int64(Date().timeIntervalSince1970)) ?? date
        }
    }
}
