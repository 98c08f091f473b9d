import CLibCurl
import ProviderKit

/// The reason why there is no complete response.
enum CurlFailure: Error {
    /// Not answered within this time.
    case timedOut(Duration)
    /// The body is larger than so many bytes.
    case tooLarge(Int)
    /// The address is in a network that whoever named it may not lead to. No request was sent there.
    case outOfReach
    case curl(CURLcode)

    /// A message with nothing of the address but its host.
    func error(at address: WebAddress) -> ProviderError {
        // The server isn't to blame, and nobody waits for it.
        if case .outOfReach = self { return ProviderError(.unavailable, message(address.host)) }
        return ProviderError(.unavailable, message(address.host), server: address.origin)
    }

    private func message(_ host: String) -> String {
        switch self {
        case .timedOut(let limit): "\(host) doesn't answer within \(limit.components.seconds) s"
        case .tooLarge(let bound): "the answer of \(host) is larger than \(bound >> 20) MiB"
        case .outOfReach:
            """
            a redirect or a link points to \(host), an address on this machine or in a private network, which only a \
            server there may name
            """
        case .curl(let code): message(host, code)
        }
    }

    private func message(_ host: String, _ code: CURLcode) -> String {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: "can't find \(host)"
        case CURLE_COULDNT_RESOLVE_PROXY: "can't find the proxy"
        case CURLE_COULDNT_CONNECT: "can't connect to \(host)"
        case CURLE_PARTIAL_FILE: "the answer of \(host) ends in the middle"
        case CURLE_GOT_NOTHING: "\(host) closes the connection without an answer"
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: "the connection to \(host) breaks"
        case CURLE_BAD_CONTENT_ENCODING: "the answer of \(host) can't be decompressed"
        case CURLE_PEER_FAILED_VERIFICATION: "the certificate of \(host) isn't trusted"
        case CURLE_SSL_CACERT_BADFILE: "the file of certificate authorities can't be read"
        case CURLE_ABORTED_BY_CALLBACK: "the request to \(host) was cancelled"
        default: "the request to \(host) fails: \(String(cString: curl_easy_strerror(code)))"
        }
    }
}
