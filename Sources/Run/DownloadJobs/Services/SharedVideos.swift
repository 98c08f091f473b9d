package import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
import RunSchedule
package import SyncFacts
import Synchronization
import SystemPackage

/// Videos that this shard has in common with others, as the catalog proves: an equal SHA-256, or the same source of a
/// provider whose answers don't depend on the course. One shard fetches such a video, and the others link its file.
///
/// Who fetches it claims it in the library. A finished file is found in the lists of the other shards' files. Anybody
/// who can write to the library may have written those: a line only leads to a file, which is then proven like every
/// donor.
package final class SharedVideos: Sendable {
    /// What comes next for a download.
    enum Turn: Sendable {
        /// No other shard has it, as far as the catalog proves.
        case own
        /// Another shard fetches it now.
        case elsewhere
        /// This one has it, and may link this file.
        case claimed(VideoClaim, Donor?)
    }

    private let index = Mutex(SharedVideoIndex())
    /// How far each list was read. Locked while they are being read, which may take long.
    private let marks = Mutex<[String: FileListMark]>([:])
    private let shards: OtherShards
    private let others: OtherVideos
    /// The folders of the other shards.
    private let names: [String]
    private let user: String
    private let ignoresCourse: @Sendable (String) -> Bool

    /// Nil for a run that isn't a shard's.
    ///
    /// - Parameters:
    ///   - others: the videos in the catalog's courses of other shards.
    ///   - ignoresCourse: whether the answers of a provider don't depend on the course.
    package init?(
        _ options: SyncOptions, library: LibraryFolder, others: OtherVideos, user: String,
        ignoresCourse: @escaping @Sendable (String) -> Bool
    ) {
        guard let shard = options.shard, let shards = OtherShards(of: library) else { return nil }
        names = (1...shard.count).filter { $0 != shard.index }
            .compactMap { Shard(index: $0, count: shard.count)?.folderName }
        self.shards = shards
        self.others = others
        self.user = user
        self.ignoresCourse = ignoresCourse
    }

    /// Notes what this shard wants. Never waits for a list to be read.
    package func expect(_ wanted: [WantedDownload]) {
        let keys = Set(wanted.flatMap(keys))
        guard !keys.isEmpty else { return }
        index.withLock { $0.expect(keys) }
    }

    /// Claims a download, unless no other shard has it.
    func turn(of wanted: WantedDownload) async -> Turn {
        let keys = keys(of: wanted)
        guard let first = keys.first else { return .own }
        let bytes = wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))
        let holder = LockHolder.current(user: user)
        return await Blocking.run { [self] shouldStop in
            do throws(LibraryError) {
                guard let claim = try shards.claim(first.name, as: holder) else { return .elsewhere }
                return .claimed(claim, donor(of: keys, bytes, shouldStop))
            } catch {
                // It is fetched then, which says what is wrong with the library.
                return .own
            }
        }
    }

    private func keys(of wanted: WantedDownload) -> [SharedSameness] {
        guard wanted.oldFile == nil, wanted.video.settings.live != .record else { return [] }
        let bytes = wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))
        var keys: [SharedSameness] = []
        if let sha256 = bytes.sha256, wanted.video.sha256.map(others.mayHave(sha256:)) == true {
            keys.append(.sha256(sha256))
        }
        if bytes.ignoresCourse, others.mayHave(id: bytes.video) {
            keys.append(.source(video: bytes.video, source: bytes.source))
        }
        return keys
    }

    /// A file of another shard that is proven to have the bytes.
    private func donor(of keys: [SharedSameness], _ bytes: WantedBytes, _ shouldStop: () -> Bool) -> Donor? {
        do { try read(for: keys, shouldStop) } catch { return nil }
        return index.withLock { index in
            keys.compactMap { index.donors[$0] ?? nil }.first { $0.isProven(for: bytes) }
        }
    }

    /// Reads what is new in the lists; or all of them, once for everything that is expected by then, if they haven't
    /// been read for these. One reads at a time. Throws if it has to stop.
    private func read(for keys: [SharedSameness], _ shouldStop: () -> Bool) throws(LibraryError) {
        try marks.withLock { marks throws(LibraryError) in
            let (unread, wanted) = index.withLock { ($0.unread(of: keys), $0.donors) }
            if !unread.isEmpty { marks = [:] }
            for name in names {
                if shouldStop() { throw .stopped }
                var found = SharedVideoIndex.Found()
                let reading = try? shards.list(of: name)?.read(
                    after: marks[name] ?? FileListMark(), shouldStop: shouldStop
                ) { (entry: FileListEntry) in
                    guard let donor = Donor(entry) else { return }
                    let sha256 = donor.file.sha256.map { SharedSameness.sha256($0) }
                    let source = SharedSameness.source(video: donor.video, source: donor.file.source)
                    for key in [sha256, source].compactMap(\.self) where wanted[key] != nil { found[key] = donor }
                }
                if let reading { marks[name] = reading.mark }
                index.withLock { $0.note(found) }
            }
            if shouldStop() { throw .stopped }
            index.withLock { $0.haveRead(unread) }
        }
    }
}

extension Donor {
    /// A video of another shard's list that is one whole file; nil for anything else.
    fileprivate init?(_ entry: FileListEntry) {
        let entry = entry.normalized
        guard let video = entry.video, let path = entry.path, let size = entry.size, size >= 0, entry.joining == nil,
            let source = entry.source.flatMap(SourceDigest.init(hex:)),
            entry.beside?.contains(where: { $0.kind == SidecarRecord.Kind.stream.rawValue }) != true
        else { return nil }
        let sha256 = entry.sha256.flatMap(Checksum.init(hex:)).flatMap { $0.count == 32 ? $0 : nil }
        self.init(
            file: StoredFile(
                path: path, size: size, modified: entry.modified, sha256: sha256, source: source, role: entry.role),
            video: video, isOfOtherShard: true)
    }
}
