import FileSystem

/// A folder of files that a downloader got from a list of URLs. Nothing in it proves that a file is complete: these
/// downloaders write to the final name.
struct URLListFolder {
    let place: SourceFolder
    let files: FileIndex

    init(_ place: SourceFolder) throws {
        self.place = place
        files = try FileIndex(of: place)
    }

    /// The record of a URL.
    ///
    /// - Parameters:
    ///   - output: the name that the list gives the file, if it does.
    ///   - names: what its downloader may have called the file otherwise, the most likely name first.
    func record(
        url: String, line: Int, output: String? = nil, names: (SourceAddress) -> [String]
    ) throws(SourceProblem) -> SourceRecord {
        var record = SourceRecord(key: url.isEmpty ? "#\(line)" : url, state: .unfinished)
        guard let address = SourceAddress(url) else {
            record.fault = .unknownValue(field: "url")
            return record
        }
        record.url = url
        record.names = [url]
        let candidates: [String]
        if let output {
            guard let path = SourceFolder.relative(output) else {
                record.fault = .badPath(output)
                return record
            }
            candidates = [path]
        } else {
            candidates = names(address).compactMap(SourceFolder.relative)
        }
        let found = candidates.lazy.compactMap { files.path($0) }.first
        for name in Self.names(found ?? candidates.first ?? "") where !record.names.contains(name) {
            record.names.append(name)
        }
        if let found { try fill(&record, found) }
        return record
    }

    /// Every file by its name, for a folder without a list.
    func records(isLeftOut: (String) -> Bool, _ body: (SourceRecord) throws -> Void) throws {
        try place.walk { path in
            let name = MediaFileName.last(path)
            guard !name.hasPrefix("."), !isLeftOut(name) else { return }
            var record = SourceRecord(key: path, state: .unfinished)
            record.names = Self.names(path)
            try fill(&record, path)
            try body(record)
        }
    }

    private func fill(_ record: inout SourceRecord, _ path: String) throws(SourceProblem) {
        // Whether a file that can't be opened is empty matters to nobody: that it can't be is its record's trouble.
        let size: Int64?
        do throws(SourceProblem) { size = try place.facts(of: path)?.size } catch { size = .max }
        guard let size, size > 0 else { return }
        record.state = .unproven
        record.file = SourceFile(path: path)
    }

    private static func names(_ path: String) -> [String] {
        guard !path.isEmpty else { return [] }
        let last = MediaFileName.last(path)
        return [path, last] + [MediaFileName.split(last)?.stem].compactMap(\.self)
    }
}
