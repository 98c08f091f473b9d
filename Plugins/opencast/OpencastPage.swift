import ProviderHTTP
import ProviderKit

/// What a page of Opencast's players and tools shows.
enum OpencastPage {
    case event(String)
    case series(String)

    /// - Parameter text: the address as it was given: newer players have the id behind the number sign.
    init?(_ address: WebAddress, _ text: String) {
        let names = address.path.split(separator: "/").map(String.init)
        var fields: [String: String] = [:]
        let fragment = text.firstIndex(of: "#").map { text[text.index(after: $0)...] } ?? ""
        for field in [Substring(address.query ?? ""), fragment].flatMap({ $0.split(separator: "&") }) {
            let pair = field.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { fields[String(pair[0])] = PercentEncoding.decoded(pair[1]) }
        }
        if names.count >= 2, names[0] == "play", let id = PercentEncoding.decoded(names[1]) {
            self = .event(id)
        } else if let place = names.firstIndex(of: "engage-player"), place + 1 < names.count,
            let id = PercentEncoding.decoded(names[place + 1])
        {
            self = .event(id)
        } else if names.last == "episode.json" || names.first == "ltitools"
            || names.starts(with: ["engage", "ui", "index.html"]),
            let id = fields["sid"] ?? fields["series"] ?? fields["epFrom"]
        {
            self = .series(id)
        } else if let first = names.first,
            first.hasPrefix("paella") || ["engage", "editor-ui", "annotation-tool"].contains(first),
            let id = fields["id"]
        {
            self = .event(id)
        } else {
            return nil
        }
    }
}
