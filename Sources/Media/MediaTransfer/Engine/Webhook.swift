import CLibCurl
import Foundation

/// Posts a small text to an address given by the user.
package enum Webhook {
    /// Posts once, without following redirects; the response's body is ignored. Blocks for at most `limit` seconds.
    ///
    /// - Returns: the response's status.
    package static func post(
        _ body: [UInt8], contentType: String, to url: String, userAgent: String, caFile: String?, limit: Int = 20
    ) throws(TransferFailure) -> Int {
        guard let parsed = ParsedURL(url), let easy = curl_easy_init() else {
            throw .invalidRequest("the URL is malformed")
        }
        defer { curl_easy_cleanup(easy) }
        HostNameEncoding.useUTF8()
        var configuration = TransferConfiguration()
        configuration.caFile = caFile
        configuration.userAgent = userAgent
        let handles = EasyHandles(configuration: configuration)
        handles.configure(easy, isPaced: false)
        cf_set_string(easy, CURLOPT_URL, parsed.text)
        cf_set_long(easy, CURLOPT_TIMEOUT, limit)
        cf_set_long(easy, CURLOPT_POST, 1)
        cf_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
        body.withUnsafeBytes { bytes in
            _ = cf_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        var fields: UnsafeMutablePointer<curl_slist>?
        // Without `Expect` the server isn't asked first whether it would accept the body.
        for field in ["Content-Type: \(contentType)", "Expect:"] {
            if let list = curl_slist_append(fields, field) { fields = list }
        }
        defer { curl_slist_free_all(fields) }
        cf_set_list(easy, CURLOPT_HTTPHEADER, fields)
        cf_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
        let code = withExtendedLifetime(handles) { curl_easy_perform(easy) }
        if let failure = code.failure(of: easy) { throw failure }
        var status = 0
        cf_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        return status
    }
}
