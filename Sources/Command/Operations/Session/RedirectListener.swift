import Foundation
import ProviderConformance
import ProviderKit
import TextFormats

/// Waits on this machine for the browser that a login sends back. Related: RFC 8252 §7.3.
final class RedirectListener: Sendable {
    private let server: LoopbackServer
    private let arrivals: AsyncStream<[String: String]>

    /// Its address.
    let uri: String

    /// Opens a port. `state`: the parameter that tells the browser of this login from any other request; `page`: what
    /// it gets.
    init(state: String, page: String) throws(FixtureProblem) {
        let (arrivals, arrival) = AsyncStream<[String: String]>.makeStream(bufferingPolicy: .bufferingOldest(1))
        @Sendable func query(of request: ReceivedRequest) -> [String: String]? {
            let query = Self.query(of: request.target)
            return request.method == "GET" && query["state"] == state ? query : nil
        }
        server = try LoopbackServer { request in
            guard query(of: request) != nil else { return .notFound }
            return ServedResponse(
                status: "200 OK", fields: [MessageField(name: "Content-Type", value: "text/html; charset=utf-8")],
                body: Array(page.utf8))
        } served: { request in
            if let query = query(of: request) { arrival.yield(query) }
        }
        self.arrivals = arrivals
        uri = "\(server.origin)/"
    }

    /// A page's address with this one's in the place of `{redirect}`.
    func filled(_ page: String) -> String {
        page.replacing("{redirect}", with: PercentEncoding.encoded(uri))
    }

    /// Waits for the browser, at most so long; nil if it doesn't come.
    func next(within limit: Duration) async -> LoginRedirect? {
        await withTaskGroup(of: [String: String]?.self) { group in
            group.addTask { [arrivals] in await arrivals.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let query = await group.next() ?? nil
            group.cancelAll()
            return query.map { LoginRedirect(uri: uri, query: $0) }
        }
    }

    /// Frees the port, once the browser has its page.
    func close() { server.close() }

    private static func query(of target: String) -> [String: String] {
        let text = target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        let pairs = text.split(separator: "&").map { field in
            let name = field.prefix { $0 != "=" }
            return (plain(name), plain(field.dropFirst(name.count + 1)))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func plain(_ text: Substring) -> String {
        PercentEncoding.decoded(text.replacing("+", with: " ")) ?? String(text)
    }
}
