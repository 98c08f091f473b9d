import ProviderHTTP
import ProviderKit

/// What an address that people have in their browser leads to.
enum KalturaAddress {
    enum Kind { case entry(String), category(Int64), playlist(String) }

    private static let home = "https://www.kaltura.com"

    /// Nil for an address that is none of Kaltura's. A page without the account's number in its address has it
    /// in its text.
    static func read(
        _ address: WebAddress, _ client: HTTPClient
    ) async throws(ProviderError) -> (kind: Kind, parameters: [String: JSONValue])? {
        guard let kind = kind(of: address) else { return nil }
        if let parameters = parameters(in: address) { return (kind, parameters) }
        let response = try await client.send(HTTPRequest("GET", address))
        let page = String(decoding: response.body, as: UTF8.self)
        guard response.status == 200,
            let match = page.firstMatch(of: /(https?:)?\\?\/\\?\/([A-Za-z0-9.\-:]+)\\?\/p\\?\/(\d{2,10})\\?\//),
            let number = Int64(match.output.3),
            let server = WebAddress("\(match.output.1 ?? "https:")//\(match.output.2)/")
        else { return nil }
        return (kind, parameters(number, at: server.origin))
    }

    /// The entry of an address that has the account's number in it; nil for another.
    static func entry(in address: WebAddress) -> (id: String, parameters: [String: JSONValue])? {
        guard case .entry(let id)? = kind(of: address), let parameters = parameters(in: address) else { return nil }
        return (id, parameters)
    }

    private static func parameters(in address: WebAddress) -> [String: JSONValue]? {
        let text = address.path + (address.query.map { "?\($0)" } ?? "")
        let forms = [
            /\/p\/(\d{2,10})(?:\/|$)/, /partner_id[\/=](\d{2,10})/, /wid[\/=]_(\d{2,10})/,
        ]
        if let number = forms.lazy.compactMap({ text.firstMatch(of: $0) }).first.flatMap({ Int64($0.output.1) }) {
            return parameters(number, at: address.origin)
        }
        if let match = address.host.wholeMatch(of: /(\d{2,10})\.(?:mediaspace|kaf)\.kaltura\.com/),
            let number = Int64(match.output.1)
        {
            return parameters(number, at: home)
        }
        return nil
    }

    private static func parameters(_ partner: Int64, at origin: String) -> [String: JSONValue] {
        let isHome = WebAddress(origin)?.host.hasSuffix(".kaltura.com") == true
        return isHome ? ["partner": .int(partner)] : ["endpoint": .string(origin), "partner": .int(partner)]
    }

    /// Ids of entries and playlists have the same form: the place decides.
    private static func kind(of address: WebAddress) -> Kind? {
        let names = address.path.split(separator: "/").compactMap { PercentEncoding.decoded($0) }
        let fields = (address.query ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        func field(_ name: String) -> String? {
            fields.first { $0.count == 2 && PercentEncoding.decoded($0[0]) == name }.flatMap {
                PercentEncoding.decoded($0[1])
            }
        }
        func after(_ words: [String]) -> String? {
            names.indices.dropLast().first { words.contains(names[$0].lowercased()) }.map { names[$0 + 1] }
        }
        if let place = names.firstIndex(of: "playlist"), let id = names[place...].first(where: KalturaProvider.isID) {
            return .playlist(id)
        }
        for id in [
            field("playlist_id"), field("flashvars[playlistAPI.kpl0Id]"), field("entry_id"), field("entryId"),
            after(["entry_id", "entryid", "e"]),
        ].enumerated() {
            guard let text = id.element, KalturaProvider.isID(text) else { continue }
            return id.offset < 2 ? .playlist(text) : .entry(text)
        }
        if names.first == "media", let id = names.first(where: KalturaProvider.isID) { return .entry(id) }
        if ["channel", "category"].contains(names.first), names.count > 1, let id = names.last.flatMap({ Int64($0) }) {
            return .category(id)
        }
        return nil
    }
}
