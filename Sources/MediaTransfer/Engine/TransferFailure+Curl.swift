import CLibCurl

extension TransferFailure {
    /// What a result of libcurl means; nil for success. libcurl's own text is not used: it can hold names and URLs.
    init?(_ code: CURLcode, _ easy: UnsafeMutableRawPointer) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_COULDNT_RESOLVE_HOST: self = .network(.unknownHost)
        case CURLE_COULDNT_RESOLVE_PROXY: self = .network(.unknownProxy)
        case CURLE_COULDNT_CONNECT: self = .network(.cannotConnect)
        // There is no other time limit of libcurl's in use.
        case CURLE_OPERATION_TIMEDOUT: self = .network(.connectTimeout)
        case CURLE_GOT_NOTHING: self = .network(.noAnswer)
        case CURLE_PARTIAL_FILE: self = .truncated(received: 0, expected: nil)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            var status = 0
            cf_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
            self = .network(status >= 300 ? .proxyRefused(status: status) : .broken)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: self = .tls(.certificate)
        case CURLE_SSL_CACERT_BADFILE: self = .tls(.caFile)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            self = .tls(.handshake)
        // libcurl says BAD_FUNCTION_ARGUMENT of a CR or NUL in the middle of a field.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_BAD_FUNCTION_ARGUMENT:
            self = .badResponse(.unreadable)
        case CURLE_URL_MALFORMAT: self = .invalidRequest("the URL is malformed")
        default: self = .network(.other(code: Int(code.rawValue)))
        }
    }
}
