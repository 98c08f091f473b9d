import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file server on a free loopback port.
///
/// It supports the HTTP/1.1 that downloaders use: GET and HEAD, persistent connections, ranges with `If-Range`, `ETag`.
/// It answers 401 without the token, 403 to a forged link, 410 to an expired one.
final class MediaServer: Sendable {
    let library: MediaLibrary
    /// The token required in `Authorization: Bearer`.
    let token: String
    private let signer = LinkSigner()
    private let listener: Listener
    private let wasCut = Mutex<Set<String>>([])

    /// Opens the port and serves until the process ends.
    init(library: MediaLibrary) throws {
        self.library = library
        token = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 16) }.joined()
        listener = try Listener()
        DispatchQueue(label: "accept").async {
            while let socket = self.listener.accept() {
                // One thread for each: they mostly sleep.
                DispatchQueue(label: "connection").async {
                    let connection = Connection(socket)
                    while let request = connection.nextRequest(), self.answer(request, connection) {}
                    connection.close()
                }
            }
        }
    }

    /// A link to the file `name`.
    func link(to name: String, until expires: Date) -> String {
        "http://127.0.0.1:\(listener.port)/\(name)?\(signer.query(for: name, until: expires))"
    }

    /// Answers one request. False if the connection can't be used any more.
    private func answer(_ request: HTTPRequest, _ connection: Connection) -> Bool {
        guard request.method == "GET" || request.method == "HEAD" else {
            return connection.send(status: "405 Method Not Allowed", ["Allow: GET, HEAD"])
        }
        guard let file = library[request.path] else { return connection.send(status: "404 Not Found") }
        switch signer.judge(request.query, for: file.name, now: Date()) {
        case .forged: return connection.send(status: "403 Forbidden")
        case .expired: return connection.send(status: "410 Gone")
        case .good: break
        }
        guard request.headers["authorization"] == "Bearer \(token)" else {
            return connection.send(status: "401 Unauthorized", ["WWW-Authenticate: Bearer"])
        }
        if file.name.hasSuffix(".m3u8") {
            let playlist = playlist(file)
            return connection.send(
                status: "200 OK", ["Content-Type: \(file.mediaType)", "Cache-Control: no-store"], length: playlist.count
            )
                && (request.method == "HEAD" || connection.send(playlist[...], rate: nil))
        }
        let size = file.bytes.count
        var fields = ["Accept-Ranges: bytes", "ETag: \(file.etag)", "Content-Type: \(file.mediaType)"]
        let bytes: Range<Int>
        switch request.range(size: size, etag: file.etag) {
        case .unsatisfiable:
            return connection.send(status: "416 Range Not Satisfiable", ["Content-Range: bytes */\(size)"])
        case .all: bytes = 0..<size
        case .part(let range):
            bytes = range
            fields.append("Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
        }
        let isPart = fields.count > 3
        guard connection.send(status: isPart ? "206 Partial Content" : "200 OK", fields, length: bytes.count) else {
            return false
        }
        if request.method == "HEAD" { return true }
        let end = cut(file, bytes) ?? bytes.upperBound
        return connection.send(file.bytes[bytes.lowerBound..<end], rate: file.rate) && end == bytes.upperBound
    }

    /// A playlist whose segments have links of their own.
    private func playlist(_ file: MediaLibrary.File) -> [UInt8] {
        let expires = Date().addingTimeInterval(DemoProvider.sidecarLifetime)
        let lines = String(decoding: file.bytes, as: UTF8.self).split(separator: "\n").map { line in
            line.hasPrefix("#") ? String(line) : link(to: String(line), until: expires)
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// The offset at which this response breaks off, nil if it doesn't: each file that breaks does so once.
    private func cut(_ file: MediaLibrary.File, _ bytes: Range<Int>) -> Int? {
        guard let cut = file.cut, bytes.contains(cut), wasCut.withLock({ $0.insert(file.name).inserted }) else {
            return nil
        }
        return cut
    }
}
