import CLibCurl

extension CURLcode {
    /// Its meaning; nil for success. libcurl's own text is not used: it can contain names and URLs.
    func failure(of easy: UnsafeMutableRawPointer) -> TransferFailure? {
        switch self {
        case CURLE_OK: TransferFailure?.none
        case CURLE_COULDNT_RESOLVE_HOST: .network(.unknownHost)
        case CURLE_COULDNT_RESOLVE_PROXY: .network(.unknownProxy)
        case CURLE_COULDNT_CONNECT: .network(.cannotConnect)
        // No other time limit of libcurl is in use.
        case CURLE_OPERATION_TIMEDOUT: .network(.connectTimeout)
        case CURLE_GOT_NOTHING: .network(.noAnswer)
        case CURLE_PARTIAL_FILE: .truncated(received: 0, expected: nil)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            .network(Self.broken(easy))
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: .tls(.certificate)
        case CURLE_SSL_CACERT_BADFILE: .tls(.caFile)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED:
            .tls(.handshake)
        // libcurl returns BAD_FUNCTION_ARGUMENT for a CR or NUL in the middle of a field.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_BAD_FUNCTION_ARGUMENT:
            .badResponse(.unreadable)
        case CURLE_URL_MALFORMAT: .invalidRequest("the URL is malformed")
        default: .network(.other(code: Int(rawValue)))
        }
    }

    private static func broken(_ easy: UnsafeMutableRawPointer) -> NetworkProblem {
        var status = 0
        cf_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
        return status >= 300 ? .proxyRefused(status: status) : .broken
    }
}
