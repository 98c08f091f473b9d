package import DownloadStore
package import FileSystem
import Foundation
import HLSMedia
import MediaLibrary
import RunAccess
import SyncFacts
import SystemPackage

/// A file of the library, opened to be sent.
package struct ServedFile: Sendable {
    package var file: OpenFile
    package var facts: FileFacts
    /// Its own name, without folders.
    package var name: String
    /// Lower-case hex, if the file is still the recorded one; nil if it isn't, or if none was recorded.
    package var sha256: String?
}

extension ViewedLibrary {
    /// A file of a video by its own name, opened beneath the library's root without following a link; nil if the video
    /// has none of that name, or it is missing.
    package func file(_ name: String, of key: DownloadKey) throws -> ServedFile? {
        for state in states {
            guard let record = try state.store.downloads.record(key) else { continue }
            let main = record.isPlacing ? record.oldFile : record.file
            if let main, Self.name(of: main.path) == name {
                return try open(main.path, (main.size, main.modified, main.sha256?.hex), in: state)
            }
            let beside = try state.store.sidecars.files(of: [record.id]).first { Self.name(of: $0.path) == name }
            return try beside.flatMap { try open($0.path, ($0.size, $0.modified, $0.sha256?.hex), in: state) }
        }
        return nil
    }

    /// The picture of a video or, without one, nothing.
    package func cover(of key: DownloadKey) throws -> ServedFile? {
        for state in states {
            guard let record = try state.store.downloads.record(key) else { continue }
            let cover = try state.store.sidecars.files(of: [record.id]).first { $0.kind == .cover }
            return try cover.flatMap { try open($0.path, ($0.size, $0.modified, nil), in: state) }
        }
        return nil
    }

    /// The picture of a course, or of one of its chapters.
    package func cover(ofCourse course: String, chapter: String? = nil) throws -> ServedFile? {
        for state in states {
            let file =
                try chapter.map { try state.store.views.chapters(of: course)[$0]?.coverFile }
                ?? state.courses[course]?.coverFile
            if let file, let served = try open(file.path, (file.size, file.modified, nil), in: state) { return served }
        }
        return nil
    }

    /// The subtitles of a video by their file's name, as WebVTT; nil for a file of another format.
    package func subtitles(_ name: String, of key: DownloadKey) throws -> [UInt8]? {
        guard let served = try file(name, of: key), served.facts.size <= Self.largestText,
            let bytes = try served.file.bytes(0..<served.facts.size)
        else { return nil }
        switch FilePath(name).extension?.lowercased() {
        case "vtt": return bytes
        case "srt": return SubRip.webVTT(bytes)
        default: return nil
        }
    }

    private static let largestText: Int64 = 16 << 20

    /// The last part of a path.
    package static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private func open(
        _ path: String, _ record: (size: Int64, modified: Int64?, sha256: String?), in state: State
    ) throws -> ServedFile? {
        guard let library = try LibraryOpening.openToLook(state.place, state.store),
            let file = try library.files.open(path)
        else { return nil }
        guard let facts = try? file.facts() else { return nil }
        let isRecorded = facts.size == record.size && facts.modified == record.modified
        return ServedFile(
            file: file, facts: facts, name: Self.name(of: path), sha256: isRecorded ? record.sha256 : nil)
    }
}

/// SubRip, which has no specification: the times have a comma, the cues numbers; the rest is that of WebVTT.
enum SubRip {
    private static let arrow = Array("-->".utf8)

    static func webVTT(_ bytes: [UInt8]) -> [UInt8] {
        var text = Array("WEBVTT\n\n".utf8)
        text.reserveCapacity(bytes.count + 16)
        let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        for line in content.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let line = line.last == 0x0D ? line.dropLast() : line
            let isTime = line.first.map { (0x30...0x39).contains($0) } == true && line.contains(Self.arrow)
            if isTime {
                text += line.map { $0 == 0x2C ? 0x2E : $0 }
            } else {
                text += line
            }
            text.append(0x0A)
        }
        return text
    }
}
