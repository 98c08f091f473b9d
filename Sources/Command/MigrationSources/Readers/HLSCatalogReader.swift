import FileSystem
import Foundation

/// Reads what apps of the HLSCatalog sample leave: packages of downloaded HLS (`*.movpkg`), and the app's catalog
/// `Streams.plist`, which knows the addresses of their streams.
package struct HLSCatalogReader: SourceReader {
    private static let listName = "Streams.plist"
    private static let ending = ".movpkg"
    private static let depthBound = 4
    private static let sizeBound = 16 << 20

    /// A stream of the app's catalog.
    package struct Stream: Sendable, Equatable {
        package var name: String
        /// The playlist's address.
        package var url: String
        /// Whether it needs a licence to play.
        package var isProtected: Bool
        /// What is missing in this entry.
        package var fault: RecordFault?
    }

    private let place: SourceFolder
    private let list: String
    private let streams: [Stream]
    private let packages: [String]

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        self.place = place
        list = options.list ?? place.file ?? Self.listName
        let streams = try Self.streams(place, list)
        self.streams = streams ?? []
        var packages: [String] = []
        try Self.find(in: "", depth: 0, place, &packages)
        self.packages = packages
        guard streams != nil || !packages.isEmpty else {
            throw .nothingFound(path: place.path, expected: [Self.listName, "*" + Self.ending])
        }
    }

    /// The streams of the app's catalog, in its order.
    package static func streams(_ place: SourceFolder) throws(SourceProblem) -> [Stream] {
        let name = place.file ?? listName
        guard let streams = try streams(place, name) else { throw .missing(path: place.shown(name)) }
        return streams
    }

    /// Nil if there is no such file.
    private static func streams(_ place: SourceFolder, _ name: String) throws(SourceProblem) -> [Stream]? {
        guard let path = SourceFolder.relative(name), let data = try place.data(path, upTo: sizeBound) else {
            return nil
        }
        let value: PropertyList
        do throws(FormatFault) { value = try PropertyList(Array(data)) } catch {
            throw .badFormat(path: place.shown(name), error)
        }
        guard case .array(let entries) = value else { throw .badFormat(path: place.shown(name), .foreign) }
        return entries.map { entry in
            let (name, url) = (entry["name"]?.text, entry["playlist_url"]?.webAddress)
            let fault: RecordFault? =
                if name == nil { .missing(field: "name") } else if url != nil { nil } else {
                    entry["playlist_url"] == nil
                        ? .missing(field: "playlist_url") : .unknownValue(field: "playlist_url")
                }
            return Stream(
                name: name ?? "", url: url ?? "", isProtected: entry["is_protected"] == .boolean(true), fault: fault)
        }
    }

    private static func find(
        in folder: String, depth: Int, _ place: SourceFolder, _ packages: inout [String]
    ) throws(SourceProblem) {
        guard depth <= depthBound else { return }
        for entry in try SourceEntry.all(in: folder, of: place) where entry.isFolder {
            let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
            if entry.name.lowercased().hasSuffix(ending) {
                packages.append(path)
            } else {
                try find(in: path, depth: depth + 1, place, &packages)
            }
        }
    }

    /// Of packages that are joined, their lists and playlists; of others nothing, since nobody compares what is in
    /// them.
    package func storeFiles() throws -> [String] {
        var paths: [String] = []
        if let path = SourceFolder.relative(list), try place.facts(of: path) != nil { paths.append(path) }
        try read { record in
            guard let file = record.file else { return }
            let folders = Set(file.parts.compactMap { $0.split(separator: "/").dropLast().joined(separator: "/") })
            var lists: [String] = []
            for folder in [""] + folders {
                let place = folder.isEmpty ? record.key : "\(record.key)/\(folder)"
                for entry in try SourceEntry.all(in: place, of: self.place)
                where !entry.isFolder && Self.isList(entry.name) { lists.append("\(place)/\(entry.name)") }
            }
            paths += lists.sorted()
        }
        return paths
    }

    private static func isList(_ name: String) -> Bool {
        ["boot.xml", "StreamInfoBoot.xml", "StreamInfoRoot.xml", "root.xml"].contains(name) || name.hasSuffix(".m3u8")
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        for path in packages {
            var record = SourceRecord(key: path, state: .unfinished)
            let stem = SourceRecord.stem(SourceRecord.lastComponent(path))
            record.names = SourceRecord.names(stem)
            do throws(RecordFault) { try fill(&record, stem) } catch { record.fault = error }
            try body(record)
        }
    }

    private func fill(_ record: inout SourceRecord, _ stem: String?) throws(RecordFault) {
        let path = record.key
        guard let package = try file("\(path)/boot.xml", MoviePackage.init) else {
            throw .missing(field: "boot.xml")
        }
        let stream = stream(of: package, stem)
        record.url =
            PropertyList.string(stream?.url ?? package.address ?? package.streams.first?.address ?? "").webAddress
        record.title = stream?.name ?? stem
        record.names = SourceRecord.names(stem, stream?.name)
        // Picture and sound apart have to be brought together, which a download does.
        guard package.streams.count == 1, let only = package.streams.first, only.isComplete else { return }
        let folder = only.folder
        guard let info = try file("\(path)/\(folder)/StreamInfoBoot.xml", MovieStream.init), info.isComplete,
            let playlist = try info.playlist.flatMap({ name throws(RecordFault) in
                try file("\(path)/\(folder)/\(name)", MoviePlaylist.init)
            }), playlist.isWhole, !playlist.isEncrypted, playlist.segments == info.fragments.count,
            info.initial.count == (playlist.hasInitial ? 1 : 0), !info.fragments.isEmpty
        else { return }
        guard let size = try size(of: info, in: "\(path)/\(folder)") else { return }
        record.state = .finished
        record.file = SourceFile(
            path: path, parts: (info.initial + info.fragments).map { "\(folder)/\($0.path)" }, size: size)
    }

    /// Of all fragments; nil if one isn't there, or has another size than it should.
    private func size(of stream: MovieStream, in folder: String) throws(RecordFault) -> Int64? {
        var total: Int64 = 0
        var last: Int64?
        for fragment in stream.fragments {
            guard fragment.number == nil || fragment.number != last else { return nil }
            last = fragment.number
        }
        for fragment in stream.initial + stream.fragments {
            guard let path = SourceFolder.relative("\(folder)/\(fragment.path)"), !fragment.path.hasPrefix("/") else {
                throw .badPath(fragment.path)
            }
            guard let size = SourceEntry.size(of: path, in: place), size > 0,
                fragment.size == nil || fragment.size == size
            else {
                return nil
            }
            let (sum, overflow) = total.addingReportingOverflow(size)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }

    /// A small file of a package, read; nil if there is none.
    private func file<T>(
        _ path: String, _ read: ([UInt8]) throws(FormatFault) -> T
    ) throws(RecordFault) -> T? {
        guard let path = SourceFolder.relative(path) else { throw .badPath(path) }
        let data: Data?
        do throws(SourceProblem) { data = try place.data(path, upTo: Self.sizeBound) } catch {
            guard case .badFormat(_, let fault) = error else { throw .unreadable(path: path, nil) }
            throw .unreadable(path: path, fault)
        }
        guard let data else { return nil }
        do throws(FormatFault) { return try read(Array(data)) } catch { throw .unreadable(path: path, error) }
    }

    /// The stream of the app's catalog that a package has: by its address, else by its name, to which the system adds
    /// an underscore and its own.
    private func stream(of package: MoviePackage, _ stem: String?) -> Stream? {
        let usable = streams.filter { $0.fault == nil }
        if let found = usable.first(where: { $0.url == package.address }) { return found }
        guard let stem else { return nil }
        let begin = stem.lastIndex(of: "_").map { String(stem[..<$0]) }
        return usable.first { $0.name == stem } ?? usable.first { $0.name == begin }
    }
}

/// Its URL may hold a secret.
extension HLSCatalogReader.Stream: CustomReflectable {
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
