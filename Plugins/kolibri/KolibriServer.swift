import ProviderHTTP
import ProviderKit

/// The public API of a Kolibri server, without its login.
struct KolibriServer: Sendable, PrintsRedacted {
    private static let pageCount = 200
    /// A channel with more is refused: 200,000 nodes are more than any has.
    private static let pageBound = 1000

    var endpoint: Endpoint

    /// Topics and media of a channel, each topic before what is in it; nil if the server says that nothing has changed
    /// since the listing with `tag`.
    func nodes(
        of channel: String, topic: String?, since tag: String?
    ) async throws(ProviderError) -> (nodes: [KolibriNode], tag: String?)? {
        var fields = [("channel_id", channel), ("kind_in", "topic,video,audio"), ("max_results", "\(Self.pageCount)")]
        if let topic { fields.append(("descendant_of", topic)) }
        guard let first = try await page(fields, since: tag) else { return nil }
        var (nodes, cursor) = (first.nodes, first.cursor)
        for _ in 0..<Self.pageBound {
            guard let next = cursor else { return (nodes, first.tag) }
            guard let page = try await page(fields + [("cursor", next)], since: nil) else { break }
            // A page that is empty, or the same one again, would never end.
            guard !page.nodes.isEmpty, page.cursor != next else { break }
            nodes += page.nodes
            cursor = page.cursor
        }
        throw ProviderError(.unavailable, "the pages of \(endpoint.address.host) don't end")
    }

    func node(_ id: String) async throws(ProviderError) -> KolibriNode {
        let answer = try await endpoint.client.get(address("api/public/v2/contentnode", id)).json()
        guard let node = KolibriNode(answer), node.id == id else { throw unknownAnswer }
        return node
    }

    /// The id and title of each channel.
    func channels() async throws(ProviderError) -> [(id: String, title: String?)] {
        let answer = try await endpoint.client.get(address("api/public/v1/channels")).json()
        guard let channels = answer.array else { throw unknownAnswer }
        let found = channels.compactMap { channel -> (id: String, title: String?)? in
            guard let id = channel["id"]?.string, !id.isEmpty else { return nil }
            return (id, channel["name"]?.string.map { HTMLStripper.text(of: $0, bound: 1000) })
        }
        guard found.count == channels.count else { throw unknownAnswer }
        return found
    }

    /// Whether the server is Kolibri.
    func isKolibri() async throws(ProviderError) -> Bool {
        let response = try await endpoint.client.send(HTTPRequest("GET", address("api/public/info")))
        guard response.status == 200, !response.isHTML else { return false }
        return try response.json()["application"]?.string == "kolibri"
    }

    /// The address of one of a node's files.
    func address(of file: KolibriNode.File) -> WebAddress? { endpoint.address.resolving(file.path) }

    private func page(
        _ fields: [(String, String)], since tag: String?
    ) async throws(ProviderError) -> (nodes: [KolibriNode], tag: String?, cursor: String?)? {
        let address = address("api/public/v2/contentnode").adding(query: fields.map { (name: $0.0, value: $0.1) })
        let headers = tag.map { ["If-None-Match": $0] } ?? [:]
        let response = try await endpoint.client.send(HTTPRequest("GET", address, headers: headers))
        if response.status == 304, tag != nil { return nil }
        let page = try response.checked().json()
        guard let results = page["results"]?.array else { throw unknownAnswer }
        let nodes = results.compactMap(KolibriNode.init)
        guard nodes.count == results.count else { throw unknownAnswer }
        return (nodes, response[header: "ETag"], page["more"]?["cursor"]?.string)
    }

    private var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(endpoint.address.host) isn't Kolibri's")
    }

    /// An address of the API, which ends in a slash.
    private func address(_ path: String, _ id: String? = nil) -> WebAddress {
        let names = path.split(separator: "/").map(String.init) + [id].compactMap(\.self)
        return endpoint.address.appending(names, isFolder: true) ?? endpoint.address
    }
}
