package import CourseCatalog
import Crypto
import DownloadStore
import FileSystem
import Foundation
package import MediaLibrary
import RunSchedule
package import SyncFacts
import Synchronization
import SystemPackage
import TextFormats

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

    /// What proves that two downloads have the same bytes.
    private enum Sameness: Hashable {
        case sha256(Checksum)
        case source(video: String, source: SourceDigest)

        /// Its name in the library.
        var name: String {
            let text =
                switch self {
                case .sha256(let sha256): "sha256 \(sha256.hex)"
                case .source(let video, let source): "source \(source.hex) \(video)"
                }
            return String(SHA256.hash(data: Array(text.utf8)).hex.prefix(32))
        }
    }

    private struct State {
        /// For what this shard wants, the last file that another one has.
        var donors: [Sameness: Donor?] = [:]
        /// How far each list was read.
        var marks: [String: FileListMark] = [:]
    }

    private let state = Mutex(State())
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

    /// Notes what this shard wants.
    package func expect(_ wanted: [WantedDownload]) {
        let keys = Set(wanted.flatMap(keys))
        guard !keys.isEmpty else { return }
        state.withLock { state in
            let new = keys.filter { state.donors[$0] == nil }
            guard !new.isEmpty else { return }
            for key in new { state.donors[key] = .some(nil) }
            // What was read was read without them.
            state.marks = [:]
        }
    }

    /// Claims a download, unless no other shard has it.
    func turn(of wanted: WantedDownload) async -> Turn {
        let keys = keys(of: wanted)
        guard let first = keys.first else { return .own }
        let bytes = wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))
        let holder = LockHolder(
            host: HostName.current, pid: Int(getpid()), since: Date(), catalogs: [], user: user)
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

    private func keys(of wanted: WantedDownload) -> [Sameness] {
        guard wanted.oldFile == nil, wanted.video.settings.live != .record else { return [] }
        let bytes = wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))
        var keys: [Sameness] = []
        if let sha256 = bytes.sha256, wanted.video.sha256.map(others.mayHave(sha256:)) == true {
            keys.append(.sha256(sha256))
        }
        if bytes.ignoresCourse, others.mayHave(id: bytes.video) {
            keys.append(.source(video: bytes.video, source: bytes.source))
        }
        return keys
    }

    /// A file of another shard that is proven to have the bytes.
    private func donor(of keys: [Sameness], _ bytes: WantedBytes, _ shouldStop: () -> Bool) -> Donor? {
        state.withLock { state in
            for name in names {
                let reading = try? shards.list(of: name)?.read(
                    after: state.marks[name] ?? FileListMark(), shouldStop: shouldStop
                ) { (entry: FileListEntry) in
                    guard let donor = Donor(entry) else { return }
                    let sha256 = donor.file.sha256.map { Sameness.sha256($0) }
                    let source = Sameness.source(video: donor.video, source: donor.file.source)
                    for key in [sha256, source].compactMap(\.self) where state.donors[key] != nil {
                        state.donors[key] = donor
                    }
                }
                if let reading { state.marks[name] = reading.mark }
            }
            return keys.compactMap { state.donors[$0] ?? nil }.first { $0.isProven(for: bytes) }
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
