import ProviderHTTP
import ProviderKit

/// Finds out whether the address of a course is a file's, written where a folder's was meant.
struct EndpointFile {
    let endpoint: Endpoint

    /// Whether the address may be a file's: it doesn't end with a slash.
    var isPossible: Bool { !endpoint.address.path.hasSuffix("/") }

    /// Whether it looks like a file's: `feed.xml`, but not `2026.1` or `Lectures`.
    var isLikely: Bool {
        guard isPossible, let name = endpoint.address.path.split(separator: "/").last else { return false }
        return !IndexReader.mayBeFolder(String(name))
    }

    /// What the server says of the address as it is written; nil if it doesn't answer that. Of a folder servers
    /// redirect to the address with a slash.
    func head() async -> HTTPResponse? {
        let request = HTTPRequest(
            "HEAD", endpoint.address, headers: IndexProvider.headers, login: endpoint.login)
        do throws(ProviderError) { return try await endpoint.client.send(request) } catch { return nil }
    }

    /// Whether a response is about a file. Some servers list a folder without the slash: a page or JSON may be that,
    /// unless `isNoFolder`.
    static func isFile(_ response: HTTPResponse?, isNoFolder: Bool) -> Bool {
        guard let response, (200...299).contains(response.status), !response.address.path.hasSuffix("/") else {
            return false
        }
        guard !isNoFolder, let type = response.mediaType else { return isNoFolder }
        return !["text/html", "application/xhtml+xml", "application/json"].contains(type)
    }

    /// The error that says so. Whether an XML file is a feed shows in its first lines.
    func error(_ head: HTTPResponse?) async -> ProviderError {
        guard head?.mediaType?.hasSuffix("xml") == true else { return Self.error(at: endpoint, isFeed: false) }
        do throws(ProviderError) {
            let response = try await endpoint.client.get(endpoint.address, login: endpoint.login)
            return Self.error(at: endpoint, isFeed: Self.isFeed(response))
        } catch {
            return Self.error(at: endpoint, isFeed: false)
        }
    }

    /// Whether a response is a feed, whatever its address.
    static func isFeed(_ response: HTTPResponse) -> Bool {
        guard response.mediaType != "text/html" else { return false }
        let start = String(decoding: response.body.prefix(4096), as: UTF8.self).lowercased()
        return !start.contains("<html")
            && (start.firstMatch(of: /<(?:[a-z0-9]+:)?(?:rss|feed|rdf)[\s>]/) != nil)
    }

    static func error(at endpoint: Endpoint, isFeed: Bool) -> ProviderError {
        let host = endpoint.address.host
        return ProviderError(
            .invalidParameters,
            isFeed
                ? "at this address \(host) has a feed, not a folder that it lists; for a feed write provider: feed"
                : "at this address \(host) has a file, not a folder that it lists; endpoint is a folder's address",
            parameter: "endpoint")
    }
}
