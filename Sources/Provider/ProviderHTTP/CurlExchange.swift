import CLibCurl
import NetworkAddresses
import ProviderKit
import Synchronization

/// One request on its way, and what has arrived of its response.
///
/// `@unchecked Sendable`: after it is made only ``CurlThread``'s thread uses it, until the result is handed over; any
/// thread may cancel it.
final class CurlExchange: @unchecked Sendable, PrintsRedacted {
    private static let headerBound = 256 << 10

    private let request: HTTPRequest
    private let settings: HostSettings
    private let limit: Duration
    private let bodyBound: Int
    /// Nil for any network.
    private let reach: RequestReach?
    private var easy: UnsafeMutableRawPointer?
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var status = 0
    private var headers: [String: String] = [:]
    private var headerSize = 0
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var isOutOfReach = false
    private let cancellation = Atomic(false)

    init(_ request: HTTPRequest, settings: HostSettings, limit: Duration, bodyBound: Int, reach: RequestReach?) {
        self.request = request
        self.settings = settings
        self.limit = limit
        self.bodyBound = bodyBound
        self.reach = reach
    }

    /// Whether the result isn't wanted any more.
    var isCancelled: Bool { cancellation.load(ordering: .relaxed) }

    func cancel() { cancellation.store(true, ordering: .relaxed) }

    /// A handle with all options. A new one for each request: connections belong to the thread, and libcurl before 8.1
    /// keeps parts of the previous response in a used one.
    func prepare() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        let me = Unmanaged.passUnretained(self).toOpaque()
        cf_set_string(easy, CURLOPT_URL, request.address.text)
        cf_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        cf_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        cf_set_long(easy, CURLOPT_NOSIGNAL, 1)
        cf_set_long(easy, CURLOPT_QUICK_EXIT, 1)
        cf_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        cf_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, Int(limit / .milliseconds(1))))
        cf_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
        cf_set_string(easy, CURLOPT_USERAGENT, settings.userAgent ?? "coursefetch-provider")
        if let proxy = settings.ownProxy { cf_set_string(easy, CURLOPT_PROXY, proxy) }
        if let caFile = settings.caFile { cf_set_string(easy, CURLOPT_CAINFO, caFile) }
        setMethod(easy)
        for (name, value) in request.headers { append(name, value) }
        // Only because of its size libcurl would otherwise ask the server first, and wait for its answer.
        if request.body != nil, !has("Expect") { fields = curl_slist_append(fields, "Expect:") }
        cf_set_list(easy, CURLOPT_HTTPHEADER, fields)
        cf_set_pointer(easy, CURLOPT_PRIVATE, me)
        cf_set_pointer(easy, CURLOPT_HEADERDATA, me)
        cf_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, me in
            CurlExchange.of(me)?.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        cf_set_pointer(easy, CURLOPT_WRITEDATA, me)
        cf_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, me in
            CurlExchange.of(me)?.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
        }
        if reach != nil {
            cf_set_pointer(easy, CURLOPT_PREREQDATA, me)
            cf_set_prerequest_callback(easy, CURLOPT_PREREQFUNCTION) { me, address, _, _, _ in
                let address = address.map { String(cString: $0) } ?? ""
                return CurlExchange.of(me)?.mayAsk(address) == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }
        }
        return easy
    }

    /// Called with the address of the connection, also of one that another request has made, before anything is sent.
    private func mayAsk(_ address: String) -> Bool {
        let named = NetworkScope(name: request.address.name)
        let scope = settings.usesProxy(for: request.address) ? named : NetworkScope(address: address) ?? named
        isOutOfReach = reach?.allows(scope, for: request.address.name) == false
        return !isOutOfReach
    }

    /// The result, once libcurl is done. Frees the handle.
    func finish(_ code: CURLcode) -> Result<HTTPResponse, CurlFailure> {
        if let easy { curl_easy_cleanup(easy) }
        if let fields { curl_slist_free_all(fields) }
        (easy, fields) = (nil, nil)
        if isOutOfReach { return .failure(.outOfReach) }
        if isTooLarge { return .failure(.tooLarge(bodyBound)) }
        if code == CURLE_OPERATION_TIMEDOUT { return .failure(.timedOut(limit)) }
        guard code == CURLE_OK else { return .failure(.curl(code)) }
        return .success(
            HTTPResponse(
                status: status, headers: headers, body: body, address: request.address,
                hadLogin: has("Authorization") || has("Cookie")))
    }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> CurlExchange? {
        pointer.map { Unmanaged<CurlExchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func setMethod(_ easy: UnsafeMutableRawPointer) {
        if let body = request.body {
            cf_set_long(easy, CURLOPT_POST, 1)
            cf_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // Copied by libcurl; the size has to be set before.
            _ = body.withUnsafeBytes { bytes in
                cf_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            }
        }
        if request.method == "HEAD" { cf_set_long(easy, CURLOPT_NOBODY, 1) }
        if request.method != (request.body == nil ? "GET" : "POST"), request.method != "HEAD" {
            cf_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        }
    }

    /// A line end would begin another field: such a field isn't sent.
    private func append(_ name: String, _ value: String) {
        let line = value.isEmpty ? "\(name);" : "\(name): \(value)"
        guard !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return }
        fields = curl_slist_append(fields, line)
    }

    private func has(_ name: String) -> Bool {
        request.headers.keys.contains { $0.lowercased() == name.lowercased() }
    }

    private func takeHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
        headerSize += bytes.count
        guard headerSize <= Self.headerBound else { return 0 }
        let line = String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // Of an interim response nothing counts.
            status = Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0
            headers = [:]
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            let name = line[..<colon].lowercased()
            let text = value.split(whereSeparator: \.isWhitespace).isEmpty ? "" : Self.trimmed(value)
            // Pages before and after are often fields of their own (RFC 9110 §5.3), cookies always (RFC 6265 §3).
            let separator = ["link": ", ", "set-cookie": "\n"][name]
            headers[name] = separator.flatMap { between in headers[name].map { $0 + between + text } } ?? text
        }
        return bytes.count
    }

    private static func trimmed(_ text: Substring) -> String {
        let text = text.drop(while: \.isWhitespace)
        return String(text[...(text.lastIndex { !$0.isWhitespace } ?? text.startIndex)])
    }

    private func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= bodyBound else {
            isTooLarge = true
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }
}
