import Foundation

/// Reads what yt-dlp leaves: media with or without their `.info.json`, files that end in `.part`, and the archive of
/// what it has finished.
package struct YtDlpReader: SourceReader {
    private static let usual = ["archive.txt", "downloaded.txt", ".archive"]

    private let place: SourceFolder
    private let archive: String?

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        self.place = place
        archive = try place.list(options.list, among: Self.usual)
        guard archive == nil else { return }
        do {
            if try YtDlpFiles(place).stems.isEmpty {
                throw SourceProblem.nothingFound(path: place.path, expected: ["*.info.json"] + Self.usual)
            }
        } catch let problem as SourceProblem { throw problem } catch {
            throw .badFormat(path: place.path, .malformed)
        }
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        let files = try YtDlpFiles(place)
        var lines = try ArchiveLines(place, archive)
        var keys: Set<String> = []
        func hand(_ record: SourceRecord) throws {
            var record = record
            if !keys.insert(record.key).inserted { record.fault = .repeated }
            try body(record)
        }
        // The files of an `.info.json` with another name.
        var taken: Set<String> = []
        for stem in files.stems {
            guard let group = files.groups[stem], let path = group.info else { continue }
            switch try info(path) {
            case .success(nil): continue
            case .success(let info?):
                try hand(record(info, path: path, stem: stem, group: group, files: files, &lines, &taken))
            case .failure where !group.media.isEmpty || !group.partials.isEmpty:
                // Its name tells enough.
                try hand(self.record(stem, group: group, &lines, keys: keys))
            case .failure(let fault):
                var record = SourceRecord(key: path, state: .unfinished)
                record.names = Self.names(stem)
                record.fault = fault
                try hand(record)
            }
        }
        for stem in files.stems where !taken.contains(stem) {
            guard let group = files.groups[stem], group.info == nil else { continue }
            try hand(record(stem, group: group, &lines, keys: keys))
        }
        for line in lines.unused {
            var record = SourceRecord(key: line.text, state: .finished)
            record.video = ArchiveLines.id(of: line.text)
            record.names = [line.text] + [record.video].compactMap(\.self)
            try hand(record)
        }
        for (number, fault) in lines.faults {
            var record = SourceRecord(key: "#\(number)", state: .unfinished)
            record.fault = .unreadable(path: place.shown(archive ?? ""), fault)
            try hand(record)
        }
    }

    package func storeFiles() throws -> [String] {
        let files = try YtDlpFiles(place)
        return [archive].compactMap(\.self) + files.stems.compactMap { files.groups[$0]?.info }
    }

    /// Success without a value is the file of a playlist.
    private func info(_ path: String) throws -> Result<YtDlpInfo?, RecordFault> {
        do {
            guard let data = try place.data(path, upTo: YtDlpInfo.longest) else { return .success(nil) }
            return .success(try YtDlpInfo(data))
        } catch let fault as FormatFault {
            return .failure(.unreadable(path: place.shown(path), fault))
        } catch SourceProblem.badFormat(let path, let fault) {
            return .failure(.unreadable(path: path, fault))
        } catch let fault as RecordFault { return .failure(fault) }
    }

    private func record(
        _ info: YtDlpInfo, path: String, stem: String, group: YtDlpFiles.Group, files: YtDlpFiles,
        _ lines: inout ArchiveLines, _ taken: inout Set<String>
    ) -> SourceRecord {
        var record = SourceRecord(key: info.line ?? path, state: .unfinished)
        info.fill(&record)
        var group = group
        if group.media.isEmpty, group.partials.isEmpty {
            let folder = MediaFileName.folder(stem)
            let other = info.stems.lazy.map { folder + $0 }.first { files.groups[$0].map { $0.info == nil } ?? false }
            if let other, let found = files.groups[other], taken.insert(other).inserted { group = found }
        }
        let isListed = info.line.map { lines.use($0) } ?? false
        func best(_ paths: [String]) -> String? {
            let ending = info.ending.map { ".\($0)" } ?? "."
            return paths.first { $0.hasSuffix(ending) || $0.hasSuffix(ending + ".part") } ?? paths.first
        }
        if let file = best(group.media) {
            // What the archive lacks may still have been worked on.
            if archive == nil || isListed { (record.file, record.state) = (SourceFile(path: file), .finished) }
        } else if let partial = best(group.partials) {
            record.partial = SourcePartial(path: partial, total: info.total)
        } else if isListed {
            record.state = .finished
        }
        for name in Self.names(record.file?.path ?? stem) + [MediaFileName.last(stem)]
        where !record.names.contains(name) { record.names.append(name) }
        return record
    }

    /// Of a file without an `.info.json`.
    private func record(
        _ stem: String, group: YtDlpFiles.Group, _ lines: inout ArchiveLines, keys: Set<String>
    ) -> SourceRecord {
        let id = YtDlpFiles.id(inName: stem)
        // Blanks at its ends are in no archive.
        let line = id.flatMap { lines.use(id: $0) }.flatMap { keys.contains($0) ? nil : $0 }
        let path = group.media.first ?? group.partials.first ?? stem
        var record = SourceRecord(key: line ?? path, state: .unfinished)
        record.video = id
        record.names = [line, id].compactMap(\.self)
        for name in Self.names(path) where !record.names.contains(name) { record.names.append(name) }
        if let file = group.media.first {
            record.file = SourceFile(path: file)
            // Only the last step gives a file this name.
            record.state = .finished
        } else if let partial = group.partials.first {
            record.partial = SourcePartial(path: partial)
        }
        return record
    }

    private static func names(_ path: String) -> [String] {
        let last = MediaFileName.last(path)
        let whole = last.hasSuffix(".part") ? String(last.dropLast(5)) : last
        return [path, last] + [MediaFileName.split(whole)?.stem].compactMap(\.self)
    }
}
