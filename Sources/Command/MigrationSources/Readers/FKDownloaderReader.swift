import FileSystem
import Foundation

/// Reads the work folder of FKDownloader: a folder for each download, with its keyed archive `<id>/<id>.rqi` and its
/// file `<id>/<id><extension>`.
package struct FKDownloaderReader: SourceReader {
    private static let className = "FKCacheRequestModel"
    private static let sizeBound = 16 << 20

    private let place: SourceFolder
    private let ids: [String]

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        guard place.file == nil else { throw .notAFolder(path: place.path) }
        self.place = place
        var ids: [String] = []
        for entry in try SourceEntry.all(in: "", of: place) where entry.isFolder {
            // One that can't be opened is a record's fault.
            do throws(SourceProblem) { if try place.facts(of: Self.archive(entry.name)) == nil { continue } } catch {}
            ids.append(entry.name)
        }
        guard !ids.isEmpty else { throw .nothingFound(path: place.path, expected: ["<id>/<id>.rqi"]) }
        self.ids = ids
    }

    private static func archive(_ id: String) -> String { "\(id)/\(id).rqi" }

    package func storeFiles() throws -> [String] { ids.map(Self.archive) }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        for id in ids {
            var record = SourceRecord(key: id, state: .unfinished)
            record.names = [id]
            do { try fill(&record) } catch let fault as FormatFault {
                record.fault = .unreadable(path: Self.archive(id), fault)
            } catch SourceProblem.badFormat(_, let fault) {
                record.fault = .unreadable(path: Self.archive(id), fault)
            } catch SourceProblem.unreadable {
                record.fault = .unreadable(path: Self.archive(id), nil)
            }
            try body(record)
        }
    }

    private func fill(_ record: inout SourceRecord) throws {
        let id = record.key
        // It was there a moment ago.
        guard let data = try place.data(Self.archive(id), upTo: Self.sizeBound) else {
            record.fault = .unreadable(path: Self.archive(id), nil)
            return
        }
        let archive = try KeyedArchive(Array(data))
        guard let model = try archive.object(archive.root),
            try archive.classNames(of: model).first?.split(separator: ".").last.map(String.init) == Self.className
        else { throw FormatFault.foreign }
        record.url =
            try archive.plain(model["url"])?.webAddress ?? archive.requestAddress(model["request"])
        record.names = SourceRecord.names(
            id, try archive.plain(model["requestID"])?.text, record.url.flatMap { SourceAddress($0)?.name })
        let size = try archive.plain(model["dataLength"])?.size
        switch try archive.plain(model["state"])?.wholeNumber {
        case 6: record.state = .finished
        case -1, 0, 1, 2, 3, 4, 5: break
        case nil: record.fault = .missing(field: "state")
        default: record.fault = .unknownValue(field: "state")
        }
        guard record.fault == nil else { return }
        let ending = try archive.plain(model["extension"])?.text ?? ""
        let path = Self.file(id, ending)
        guard record.state == .unfinished else {
            record.file = path.map { SourceFile(path: $0, size: size) }
            if path == nil { record.fault = .badPath(ending) }
            return
        }
        if let path, let size, SourceEntry.size(of: path, in: place) == size {
            record.file = SourceFile(path: path, size: size)
        }
        guard let bytes = try archive.plain(model["resumeData"])?.bytes, let resume = try? ResumeData(bytes) else {
            return
        }
        record.url = record.url ?? resume.address
        record.partial = resume.partial(in: place, folders: [id, "tmp", "."], total: size)
    }

    /// Nil if what should be an ending leads elsewhere.
    private static func file(_ id: String, _ ending: String) -> String? {
        guard !ending.contains("/") else { return nil }
        return SourceFolder.relative("\(id)/\(id)" + (ending.isEmpty || ending.hasPrefix(".") ? ending : "." + ending))
    }
}
