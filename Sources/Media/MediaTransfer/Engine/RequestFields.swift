/// The header fields of a request, in libcurl's form.
enum RequestFields {
    /// Whether a field is reserved for this room, which sets its value elsewhere.
    private static func isReserved(_ name: String) -> Bool {
        let name = ASCII.lowercased(name)
        return ["host", "range", "connection", "transfer-encoding", "te", "upgrade", "expect", "accept-encoding"]
            .contains(name) || name.hasPrefix("if-") || name.hasPrefix("content-")
    }

    /// All lines for the current hop.
    static func all(for request: TransferRequest, _ policy: RedirectPolicy) -> [String] {
        var lines = policy.fields(for: request).filter { !isReserved($0.name) }.map { field in
            // An empty value is written with a semicolon; with a colon libcurl would drop the field.
            field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
        }
        lines.append("Accept-Encoding: identity")
        switch request.condition {
        case .etag(let value), .lastModified(let value): lines.append("If-Range: \(value)")
        case .checksum, nil: break
        }
        switch request.held {
        case .etag(let value): lines.append("If-None-Match: \(value)")
        case .lastModified(let value): lines.append("If-Modified-Since: \(value)")
        case .checksum, nil: break
        }
        return lines
    }
}
