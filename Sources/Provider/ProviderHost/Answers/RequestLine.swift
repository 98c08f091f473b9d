import ProviderKit
import TextFormats

/// Writes the line of a `resolve` directly: it is sent for every download, and a general encoder takes ten times as
/// long.
///
/// Every key is present and keys are sorted, so that equal requests are equal lines.
struct RequestLine: PrintsRedacted {
    /// A number that JSON doesn't have: infinite, or not a number.
    struct UnwritableNumber: Error {}

    private(set) var bytes: [UInt8] = []

    /// The whole line, LF included.
    init(_ request: ResolveRequest, wire: Int) throws(UnwritableNumber) {
        bytes.reserveCapacity(768)
        raw("{\"id\":\(wire),\"jsonrpc\":\"2.0\",\"method\":\"resolve\",\"params\":{\"chapter\":")
        if let chapter = request.chapter { place(chapter) } else { raw("null") }
        raw(",\"course\":")
        place(request.course)
        raw(",\"credentials\":")
        if let credentials = request.credentials { try value(credentials.value) } else { raw("null") }
        raw(",\"data_folder\":")
        if let folder = request.dataFolder { string(folder) } else { raw("null") }
        raw(",\"now\":")
        string(Timestamp.text(request.now))
        raw(",\"previous\":")
        if let previous = request.previous { report(previous) } else { raw("null") }
        raw(",\"quality\":[")
        for (index, quality) in request.quality.enumerated() {
            if index > 0 { raw(",") }
            string(quality)
        }
        raw(request.mayRenew ? "],\"settings\":" : "],\"renew\":false,\"settings\":")
        settings(request.settings)
        raw(",\"user\":")
        string(request.user)
        raw(",\"video\":{\"id\":")
        string(request.video.id)
        raw(",\"parameters\":")
        try object(request.video.parameters)
        raw(",\"title\":")
        string(request.video.title)
        raw("}}}\n")
    }

    private mutating func place(_ place: ResolveRequest.Place) {
        raw("{\"id\":")
        string(place.id)
        raw(",\"title\":")
        string(place.title)
        raw("}")
    }

    private mutating func report(_ previous: ResolveRequest.Previous) {
        raw("{\"bytes\":\(previous.bytes),\"reason\":")
        string(previous.reason.rawValue)
        if let server = previous.server {
            raw(",\"server\":")
            string(server)
        }
        if let status = previous.status { raw(",\"status\":\(status)") }
        raw("}")
    }

    private mutating func settings(_ settings: HostSettings) {
        let members = [
            ("ca_file", settings.caFile), ("proxy", settings.proxy?.value), ("user_agent", settings.userAgent),
        ]
        raw("{")
        var isFirst = true
        for case (let name, let text?) in members {
            raw(isFirst ? "\"\(name)\":" : ",\"\(name)\":")
            string(text)
            isFirst = false
        }
        raw("}")
    }

    private mutating func value(_ value: JSONValue) throws(UnwritableNumber) {
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .int(let value): raw("\(value)")
        case .double(let value):
            guard value.isFinite else { throw UnwritableNumber() }
            let text = value.description
            raw(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
        case .string(let value): string(value)
        case .array(let values):
            raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { raw(",") }
                try self.value(value)
            }
            raw("]")
        case .object(let values): try object(values)
        }
    }

    private mutating func object(_ members: [String: JSONValue]) throws(UnwritableNumber) {
        raw("{")
        var isFirst = true
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            if !isFirst { raw(",") }
            isFirst = false
            string(key)
            raw(":")
            try self.value(value)
        }
        raw("}")
    }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func string(_ text: String) { JSONString.append(text, to: &bytes) }
}
