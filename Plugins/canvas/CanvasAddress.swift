import ProviderHTTP
import ProviderKit

/// What an address of a Canvas server shows, whatever secrets are in its query.
struct CanvasAddress {
    enum Content: Equatable {
        case course
        case file(String)
        /// A file in the player.
        case player(file: String)
        case media(String)
        case item(String)
    }

    private(set) var course: String?
    private(set) var content = Content.course

    init?(_ address: WebAddress) {
        var path = address.path[...]
        if let match = path.prefixMatch(of: /(?:\/api\/v1)?\/courses\/((?:\d+~)?\d+)(?=\/|$)/) {
            course = String(match.output.1)
            path = path[match.range.upperBound...]
        }
        let fields = Self.fields(address)
        if let match = path.prefixMatch(of: /(?:\/api\/v1)?\/files\/((?:\d+~)?\d+)(?=\/|$)/) {
            content = .file(String(match.output.1))
        } else if path == "/files", let file = fields["preview"], Self.isNumber(file) {
            content = .file(file)
        } else if let match = path.prefixMatch(of: /\/media_attachments(?:_iframe)?\/((?:\d+~)?\d+)(?=\/|$)/) {
            content = .player(file: String(match.output.1))
        } else if let match = path.prefixMatch(of: /\/media_objects(?:_iframe)?\/([\w\-]{3,100})(?=\/|$)/) {
            content = .media(String(match.output.1))
        } else if path == "/media_download", let media = fields["entryId"], Self.isMedia(media) {
            content = .media(media)
        } else if let match = path.wholeMatch(of: /\/modules\/items\/((?:\d+~)?\d+)/) {
            content = .item(String(match.output.1))
        } else if let item = fields["module_item_id"], Self.isNumber(item) {
            content = .item(item)
        }
        if course == nil, content == .course { return nil }
    }

    static func isNumber(_ text: String) -> Bool { text.wholeMatch(of: /(?:\d{1,20}~)?\d{1,20}/) != nil }

    static func isMedia(_ text: String) -> Bool { text.wholeMatch(of: /[\w\-]{3,100}/) != nil }

    private static func fields(_ address: WebAddress) -> [String: String] {
        (address.query ?? "").split(separator: "&").reduce(into: [:]) { fields, field in
            let pair = field.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { fields[String(pair[0])] = PercentEncoding.decoded(pair[1]) }
        }
    }
}
