/// What an entry of gallery-dl's archive says. It is the category of its site and whatever that site's files are told
/// apart by, without anything between them; in a table of its own a site needs no category.
enum GalleryDLEntry {
    /// The table that there is unless the user wants others.
    private static let standard = "archive"

    static func record(_ entry: String, in table: String) -> SourceRecord {
        let key = table == standard ? entry : "\(table) \(entry)"
        var record = SourceRecord(key: key, state: .finished)
        record.names = SourceRecord.names(key, entry)
        // A category that begins like another one comes before it.
        for category in ["ytdl-generic", "ytdl", "directlink", "generic"] {
            let rest = table == category ? entry[...] : rest(of: entry, after: category)
            if let rest, describe(&record, category, rest) { break }
        }
        return record
    }

    private static func rest(of entry: String, after category: String) -> Substring? {
        entry.hasPrefix(category) ? entry.dropFirst(category.count) : nil
    }

    /// Returns whether an entry has the form of its category.
    private static func describe(_ record: inout SourceRecord, _ category: String, _ rest: Substring) -> Bool {
        switch category {
        case "ytdl", "ytdl-generic":
            // What yt-dlp's archive has, but for the letter case.
            guard let blank = rest.firstIndex(of: " "), blank > rest.startIndex else { return false }
            let id = rest[rest.index(after: blank)...]
            guard !id.isEmpty else { return false }
            record.video = String(id)
            record.names += SourceRecord.names("\(rest[..<blank].lowercased()) \(id)", String(id))
        case "directlink":
            // An address without its scheme and its query.
            guard let slash = rest.firstIndex(of: "/"), slash > rest.startIndex else { return false }
            let address = "\(rest[..<slash])/\(rest[slash...].drop { $0 == "/" })"
            record.url = "https://\(address)"
            record.names.append("http://\(address)")
        default:
            guard rest.hasPrefix("http://") || rest.hasPrefix("https://") else { return false }
            record.url = String(rest)
        }
        return true
    }
}
