package import FileSystem
import TextFormats

/// An answer of the page, as a value.
package struct PageResponse: Sendable {
    package enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// This part of an open file.
        case file(OpenFile, Range<Int64>)
        /// Events, each with its line breaks, until the client leaves or the stream ends.
        case events(AsyncStream<[UInt8]>)
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// - Parameter type: the media type.
    package static func bytes(_ bytes: [UInt8], type: String, status: Int = 200) -> PageResponse {
        PageResponse(status: status, headers: [("content-type", type)], body: .bytes(bytes))
    }

    package static func text(_ text: String, status: Int) -> PageResponse {
        bytes(Array((text + "\n").utf8), type: "text/plain; charset=utf-8", status: status)
    }

    /// Another address, to be asked for with GET (RFC 9110 §15.4.4).
    package static func seeOther(_ address: String) -> PageResponse {
        PageResponse(status: 303, headers: [("location", address)])
    }

    package func with(_ name: String, _ value: String) -> PageResponse {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    /// With an ETag made of the content, or 304 without it if the client has the same.
    package func validated(for request: PageRequest) -> PageResponse {
        guard status == 200, case .bytes(let bytes) = body else { return self }
        let tag = "\"\(String(FNV1a.digest(bytes), radix: 36))-\(bytes.count)\""
        let response = with("etag", tag).with("cache-control", "private, no-cache")
        guard Preconditions.lists(request.headers["if-none-match"], tag, isStrong: false) else { return response }
        return PageResponse(status: 304, headers: response.headers.filter { $0.name != "content-type" })
    }
}
