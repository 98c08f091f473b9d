import CLibCurl
import Foundation

/// A request made on behalf of another program, whose response is kept whole.
package struct ForwardedRequest: Sendable, RedactedInPrint {
    /// A response without redirects followed.
    package struct Response: Sendable, RedactedInPrint {
        /// `200 OK`; the code alone if the server sent no words.
        package var status = ""
        /// Names and values in order.
        package var fields: [(name: String, value: String)] = []
        /// Decoded of its transfer coding, and decompressed.
        package var body: [UInt8] = []
    }

    /// Larger bodies are an error.
    private static let bodyBound = 16 << 20
    private static let seconds = 30

    private let method: String
    private let url: String
    private let fields: [(name: String, value: String)]
    private let body: [UInt8]

    /// Makes a request. `fields` are sent as they are, with the URL's host.
    package init(method: String, url: String, fields: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }

    /// Sends it and waits for the response, at most 30 seconds. Blocks.
    package func send() throws(TransferFailure) -> Response {
        guard let parsed = ParsedURL(url), let easy = curl_easy_init() else {
            throw .invalidRequest("the URL is malformed")
        }
        defer { curl_easy_cleanup(easy) }
        let handles = EasyHandles(configuration: TransferConfiguration())
        handles.configure(easy, isPaced: false)
        cf_set_string(easy, CURLOPT_USERAGENT, nil)
        cf_set_string(easy, CURLOPT_URL, parsed.text)
        cf_set_long(easy, CURLOPT_TIMEOUT, Self.seconds)
        cf_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
        cf_set_string(easy, CURLOPT_ACCEPT_ENCODING, "")
        if method == "HEAD" { cf_set_long(easy, CURLOPT_NOBODY, 1) }
        if !body.isEmpty {
            cf_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            body.withUnsafeBytes { bytes in
                _ = cf_set_pointer(
                    easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            }
        }
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields + [(name: "Expect", value: "")] {
            list = curl_slist_append(list, "\(field.name):\(field.value.isEmpty ? "" : " \(field.value)")") ?? list
        }
        defer { curl_slist_free_all(list) }
        cf_set_list(easy, CURLOPT_HTTPHEADER, list)
        let collected = Collected()
        let pointer = Unmanaged.passUnretained(collected).toOpaque()
        cf_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, box in
            Collected.of(box)?.take(head: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
        cf_set_pointer(easy, CURLOPT_HEADERDATA, pointer)
        cf_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, box in
            let isKept =
                Collected.of(box)?.take(
                    body: UnsafeRawBufferPointer(start: bytes, count: size * count), bound: ForwardedRequest.bodyBound)
                ?? false
            return isKept ? size * count : 0
        }
        cf_set_pointer(easy, CURLOPT_WRITEDATA, pointer)
        let code = withExtendedLifetime((handles, collected)) { curl_easy_perform(easy) }
        if let failure = code.failure(of: easy) { throw failure }
        return collected.response
    }

    /// What libcurl's callbacks have got.
    private final class Collected {
        var response = Response()

        static func of(_ box: UnsafeMutableRawPointer?) -> Collected? {
            box.map { Unmanaged<Collected>.fromOpaque($0).takeUnretainedValue() }
        }

        func take(head bytes: UnsafeRawBufferPointer) {
            let line = String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
            if line.hasPrefix("HTTP/") {
                // An informational response comes before the one that counts.
                response = Response()
                response.status = String(line.split(separator: " ", maxSplits: 1).dropFirst().first ?? "")
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
                response.fields.append((String(line[..<colon]), String(value)))
            }
        }

        func take(body bytes: UnsafeRawBufferPointer, bound: Int) -> Bool {
            guard response.body.count + bytes.count <= bound else { return false }
            response.body.append(contentsOf: bytes)
            return true
        }
    }
}
