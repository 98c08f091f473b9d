import DownloadStore
import FileSystem
import Foundation
import HLSMedia
import MediaLibrary
import SearchIndex
import TextFormats

/// Brings the index of a state up to date with its rows and with the subtitles in the library.
struct SearchUpdate {
    /// Documents of one transaction.
    private static let batch = 64
    /// Larger subtitle files are left out, in bytes.
    private static let largest: Int64 = 16 << 20

    private struct Pending {
        var source: SearchIndex.Source
        var stamp: Int64
        /// What was indexed of the source before.
        var old: Int64?
        var content: Content

        enum Content {
            case text([String])
            case file(SubtitleFile)
        }
    }

    let store: DownloadStore
    /// Nil if it can't be read now: subtitles wait for it.
    let library: LibraryFolder?

    /// Returns whether everything could be read; what couldn't is tried again the next time.
    ///
    /// - Parameter begins: called before the work with the number of documents to read.
    func run(_ index: SearchIndex, begins: (Int) -> Void) throws(StoreError) -> Bool {
        var known = try index.known()
        let pending = try pending(&known)
        if !pending.isEmpty { begins(pending.count) }
        var reader = WordReader()
        var isWhole = true
        var rest = pending[...]
        while !rest.isEmpty {
            let group = rest.prefix(Self.batch)
            rest = rest.dropFirst(Self.batch)
            let documents = group.compactMap { document(of: $0, &reader) }
            isWhole = isWhole && documents.count == group.count
            try index.update(removing: group.compactMap(\.old), adding: documents)
        }
        // What is left belongs to videos that are gone.
        if !known.isEmpty { try index.update(removing: known.values.map(\.id), adding: []) }
        return isWhole
    }

    /// What isn't indexed as it is now. Takes what is from `known`.
    private func pending(_ known: inout [SearchIndex.Source: SearchIndex.Known]) throws(StoreError) -> [Pending] {
        let subtitles = try store.texts.subtitles()
        var pending: [Pending] = []
        func note(_ source: SearchIndex.Source, _ facts: [String], _ content: Pending.Content) {
            let stamp = facts.reduce(FNV1a.start) { FNV1a.digest($1.utf8, after: FNV1a.digest([0], after: $0)) }
            let before = known.removeValue(forKey: source)
            guard before?.stamp != Int64(bitPattern: stamp) else { return }
            pending.append(
                Pending(source: source, stamp: Int64(bitPattern: stamp), old: before?.id, content: content))
        }
        try store.texts.each { video in
            let texts = [video.courseTitle, video.chapterTitle ?? "", video.title, video.description ?? ""]
            note(.init(download: video.id), [video.course, video.video] + texts, .text(texts))
            for file in subtitles[video.id] ?? [] {
                let source = SearchIndex.Source(download: video.id, language: file.name)
                guard library != nil else {
                    known[source] = nil
                    continue
                }
                note(source, [file.path, String(file.size), String(file.modified)], .file(file))
            }
        }
        return pending
    }

    /// Nil if it can't be read.
    private func document(of pending: Pending, _ reader: inout WordReader) -> SearchIndex.Document? {
        switch pending.content {
        case .text(let texts):
            var document = SearchIndex.Document(pending.source, path: nil, stamp: pending.stamp)
            for text in texts { document.add(text, &reader) }
            return document
        case .file(let file):
            guard let bytes = Self.bytes(of: file, in: library) else { return nil }
            var document = SearchIndex.Document(pending.source, path: file.path, stamp: pending.stamp)
            SubtitleReader.each(bytes) { document.add($1, &reader) }
            return document
        }
    }

    /// The bytes of a subtitle file as it is now, which may be another one than the recorded one; none of one that is
    /// too large. Nil if it can't be read.
    static func bytes(of file: SubtitleFile, in library: LibraryFolder?) -> [UInt8]? {
        guard let library, let facts = try? library.files.facts(of: file.path) else { return nil }
        guard (1...largest).contains(facts.size) else { return [] }
        let record = FileRecord(size: facts.size, modified: facts.modified, sha256: nil)
        return (try? library.files.bytes(of: file.path, record: record, 0..<facts.size)) ?? nil
    }
}
