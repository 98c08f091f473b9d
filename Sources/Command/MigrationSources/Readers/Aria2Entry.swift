import FileSystem
import Foundation
import TextFormats

/// One entry of aria2's list, and its file.
struct Aria2Entry {
    let entry: Aria2List.Entry
    let place: SourceFolder
    let roots: [String]
    /// Its file, once ``record(_:)`` has found it.
    private(set) var path: String?

    init(entry: Aria2List.Entry, place: SourceFolder, roots: [String]) {
        (self.entry, self.place, self.roots) = (entry, place, roots)
    }

    /// The record; a mistake is its fault.
    mutating func record(_ files: FileIndex) throws -> SourceRecord {
        var record = SourceRecord(key: entry.addresses.first ?? "#\(entry.line)", state: .unfinished)
        if let fault = entry.fault {
            record.fault = .unreadable(path: place.path, fault)
            return record
        }
        let addresses = entry.addresses.compactMap(SourceAddress.init)
        record.url = addresses.first?.text
        let out = entry.options["out"].flatMap { $0.isEmpty ? nil : $0 }
        // Not whether the file is there: the key has to stay when it has gone.
        if let out { record.key = [entry.options["dir"], out].compactMap(\.self).joined(separator: "/") }
        record.names = [record.key]
        for address in entry.addresses.prefix(16) where !record.names.contains(address) {
            record.names.append(address)
        }
        guard addresses.first != nil || entry.addresses.contains(where: Self.isFileTransfer) else {
            let isMagnet = entry.addresses.contains { $0.lowercased().hasPrefix("magnet:") }
            record.fault = .unknownValue(field: isMagnet ? "infohash" : "url")
            return record
        }
        if let out, SourceFolder.relative(out) == nil {
            record.fault = .badPath(out)
            return record
        }
        let name = out ?? addresses.first.map { $0.name ?? "index.html" }
        guard let name else { return record }
        for other in Self.names(name) where !record.names.contains(other) { record.names.append(other) }
        guard let path = candidates(name).lazy.compactMap({ files.path($0) ?? files.path($0 + ".aria2") }).first else {
            return record
        }
        let target = path.hasSuffix(".aria2") && files.path(path + ".aria2") == nil ? String(path.dropLast(6)) : path
        self.path = target
        try Self.fill(&record, path: target, files: files, in: place)
        if case .unreadable = record.fault, record.url != nil { record.fault = nil }
        if let sum = entry.options["checksum"], sum.lowercased().hasPrefix("sha-256=") {
            let checksum = Checksum(hex: String(sum.dropFirst(8)))
            if checksum?.count == 32 { record.file?.sha256 = checksum }
        }
        // aria2 keeps no control file for a length that it doesn't know, and saves what it hasn't finished, with a
        // number.
        if entry.options["gid"] != nil, record.state == .finished, record.file?.sha256 == nil {
            record.state = .unproven
        }
        return record
    }

    /// Reads the state of a file from what is beside it.
    static func fill(
        _ record: inout SourceRecord, path: String, files: FileIndex, in place: SourceFolder
    ) throws {
        let size = try files.path(path).map { (path) throws(SourceProblem) in try place.facts(of: path)?.size ?? 0 }
        guard let control = files.path(path + ".aria2") else {
            guard let size, size > 0 else { return }
            record.state = .finished
            record.file = SourceFile(path: path)
            return
        }
        let known: Aria2Control
        do {
            guard let bytes = try place.data(control, upTo: 16 << 20) else { return }
            known = try Self.control(bytes)
        } catch let fault as FormatFault {
            return record.fault = .unreadable(path: place.shown(control), fault)
        } catch SourceProblem.badFormat(let path, let fault) {
            return record.fault = .unreadable(path: path, fault)
        }
        guard !known.isTorrent else { return record.fault = .unknownValue(field: "infohash") }
        guard let size else { return }
        record.partial = SourcePartial(path: path, length: min(known.proven, size), total: known.total)
    }

    /// What a map may call a file: its path, its name, and that without its ending.
    static func names(_ path: String) -> [String] {
        var names = [path]
        for name in [MediaFileName.last(path), MediaFileName.split(MediaFileName.last(path))?.stem].compactMap(\.self)
        where !names.contains(name) { names.append(name) }
        return names
    }

    private static func control(_ bytes: Data) throws(FormatFault) -> Aria2Control {
        let result: Result<Aria2Control, FormatFault> = bytes.withUnsafeBytes { bytes in
            do throws(FormatFault) { return .success(try Aria2Control(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private static func isFileTransfer(_ address: String) -> Bool {
        let address = address.lowercased()
        return address.hasPrefix("ftp://") || address.hasPrefix("sftp://")
    }

    /// Where the file may be: in `dir`, as far as that is in the folder, or in the folder itself.
    private func candidates(_ name: String) -> [String] {
        var folders: [String] = []
        if let dir = entry.options["dir"] {
            for root in roots where dir == root { folders.append(".") }
            for root in roots where dir.hasPrefix(root + "/") {
                folders.append(String(decoding: dir.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self))
            }
            if !dir.hasPrefix("/") { folders.append(dir) }
        }
        let below = folders.compactMap { SourceFolder.relative("\($0)/\(name)") }
        return below + [SourceFolder.relative(name)].compactMap(\.self)
    }
}
