import ProviderHTTP
import ProviderKit

/// What an address of a site shows.
enum PanoptoPage {
    case session(String)
    case folder(String)

    /// - Parameter text: the address as it was given: a list has its folder behind the number sign.
    init?(_ address: WebAddress, _ text: String) {
        let path = address.path.lowercased()
        guard let place = path.wholeMatch(of: /\/panopto\/(.+)/)?.output.1 else { return nil }
        let fields = Self.fields(of: address, text)
        if let match = place.wholeMatch(of: /podcast\/(?:download|social|syndication|stream)\/([^\/.]+)\.\w+/) {
            guard let id = Self.id(String(match.output.1)) else { return nil }
            self = .session(id)
            return
        }
        let name = place.split(separator: "/").last ?? ""
        let (session, folder): (String?, String?) =
            switch name {
            case "viewer.aspx", "embed.aspx", "generatesrt.ashx": (fields["id"], nil)
            case "deliveryinfo.aspx": (fields["deliveryid"], nil)
            case "list.aspx", "embeddedlist.aspx": (nil, fields["folderid"])
            case "podcast.ashx": (nil, fields["courseid"])
            default: (nil, nil)
            }
        if let id = Self.id(session) {
            self = .session(id)
        } else if let id = Self.id(folder) {
            self = .folder(id)
        } else {
            return nil
        }
    }

    /// An id in the form in which it is stored; nil for a text that can't be one.
    static func id(_ text: String?) -> String? {
        let text = text?.lowercased()
        return text?.wholeMatch(of: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/) == nil ? nil : text
    }

    /// The fields of the query and of what is behind the number sign, without the quotes around their values.
    private static func fields(of address: WebAddress, _ text: String) -> [String: String] {
        let fragment = text.firstIndex(of: "#").map { text[text.index(after: $0)...] } ?? ""
        var fields: [String: String] = [:]
        for field in [Substring(address.query ?? ""), fragment].flatMap({ $0.split(separator: "&") }) {
            let pair = field.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, let value = PercentEncoding.decoded(pair[1]) else { continue }
            fields[pair[0].lowercased()] = value.filter { $0 != "\"" }
        }
        return fields
    }
}
