import FileSystem
import Foundation
import TextFormats

/// One entry of a manifest, with the values of the columns that are known.
struct ManifestEntry {
    /// The columns of a CSV manifest, and the keys of one in JSON.
    enum Column: String, CaseIterable {
        case course, chapter, video, path, state, size, sha256, url, title, cover, duration
        case courseTitle = "course_title"
        case chapterTitle = "chapter_title"
    }

    /// The line on which it begins.
    let line: Int
    /// Those that it has.
    var values: [Column: FieldValue] = [:]
    /// Whether numbers are written as text.
    let isText: Bool

    /// The record; a mistake is its fault.
    func record() -> SourceRecord {
        var record = SourceRecord(key: "#\(line)", state: .unfinished)
        do throws(RecordFault) { try fill(&record) } catch { record.fault = error }
        return record
    }

    private func fill(_ record: inout SourceRecord) throws(RecordFault) {
        record.course = try text(.course)
        record.video = try text(.video)
        let path = try text(.path)
        let url = try text(.url)
        if let course = record.course, let video = record.video {
            record.key = "\(course)/\(video)"
        } else {
            guard let key = path ?? url else { throw .missing(field: "path") }
            record.key = key
        }
        var names = [record.key] + [path].compactMap(\.self)
        if let last = path?.split(separator: "/").last { names.append(String(last)) }
        names += [record.video, url].compactMap(\.self)
        for name in names where !record.names.contains(name) { record.names.append(name) }
        if let url {
            guard SourceAddress(url) != nil else { throw .unknownValue(field: "url") }
            record.url = url
        }
        record.chapter = try text(.chapter)
        record.title = try text(.title)
        record.courseTitle = try text(.courseTitle)
        record.chapterTitle = try text(.chapterTitle)
        record.cover = try text(.cover)
        record.duration = try duration()
        try fillState(&record, path)
    }

    private func fillState(_ record: inout SourceRecord, _ path: String?) throws(RecordFault) {
        let size = try size()
        let sha256 = try checksum()
        switch try text(.state)?.lowercased() {
        case "finished": record.state = .finished
        case "unfinished": record.state = .unfinished
        case nil: record.state = path == nil ? .unfinished : .finished
        default: throw .unknownValue(field: "state")
        }
        guard let path else { return }
        guard let place = SourceFolder.relative(path) else { throw .badPath(path) }
        if record.state == .finished {
            record.file = SourceFile(path: place, size: size, sha256: sha256)
        } else {
            record.partial = SourcePartial(path: place, total: size)
        }
    }

    private func text(_ column: Column) throws(RecordFault) -> String? {
        switch values[column] {
        case nil, .null: return nil
        case .text(let text): return text.isEmpty ? nil : text
        default: throw .wrongType(field: column.rawValue)
        }
    }

    private func size() throws(RecordFault) -> Int64? {
        switch values[.size] {
        case nil, .null: return nil
        case .integer(let size):
            guard size >= 0 else { throw .unknownValue(field: "size") }
            return size
        case .text(let text) where isText:
            if text.isEmpty { return nil }
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { throw .wrongType(field: "size") }
            guard let size = Int64(text) else { throw .unknownValue(field: "size") }
            return size
        default: throw .wrongType(field: "size")
        }
    }

    private func duration() throws(RecordFault) -> Double? {
        let number: Double?
        switch values[.duration] {
        case nil, .null: return nil
        case .text(let text) where isText:
            if text.isEmpty { return nil }
            number = Double(text)
        case let value: number = value?.number
        }
        guard let number else { throw .wrongType(field: "duration") }
        guard number.isFinite, number >= 0 else { throw .unknownValue(field: "duration") }
        return number
    }

    private func checksum() throws(RecordFault) -> Checksum? {
        guard let text = try text(.sha256) else { return nil }
        guard let sum = Checksum(hex: text), sum.count == 32 else { throw .unknownValue(field: "sha256") }
        return sum
    }
}
