package import DownloadStore
import FileSystem
import MediaLibrary
import MediaTransfer
import SystemPackage

/// What a killed run had written and not flushed. The kernel still has it, as long as the computer wasn't started anew.
extension CrashRecovery {
    /// Flushes these bytes where a partial has exactly what was written, and records them as progress. What can't be
    /// proven, or not be flushed, is downloaded again.
    func takeOver(_ unflushed: [UnflushedBytes]) throws(StoreError) {
        // Somebody else may have written to a file that other computers have, too.
        guard library.fileSystem == .local else { return }
        for bytes in unflushed where bytes.end > bytes.start {
            let id = DownloadID(rawValue: bytes.download)
            guard var facts = ProgressFacts(identity: bytes.identity), let row = try store.downloads.record(id),
                row.state.isOpen, !row.isPlacing, row.kind ?? .file == .file, row.position == nil,
                row.durableBytes < bytes.end, isDurable(bytes, PartialName(download: bytes.download))
            else { continue }
            if row.durableBytes > 0 {
                facts = ProgressFacts(
                    bytes: 0, total: row.totalBytes ?? facts.total, validators: row.validators,
                    mediaType: row.mediaType)
            }
            facts.bytes = bytes.end
            try store.write([.progress(id, facts)])
        }
    }

    private func isDurable(_ bytes: UnflushedBytes, _ name: PartialName) -> Bool {
        guard let found = try? library.partials.facts(of: name), found.inode == bytes.inode, found.links == 1,
            found.size >= bytes.end, let partial = try? library.partials.open(name)
        else { return false }
        return bytes.isProven(by: partial.descriptor.rawValue) && (try? partial.flush()) != nil
    }
}

extension ProgressFacts {
    private static let separator: Character = "\0"

    /// What the server said of the bytes, for ``UnflushedBytes/identity``; nil if that can't be written.
    package var identity: [UInt8]? {
        let parts = [total.map(String.init), validators.etag, validators.lastModified, mediaType].map { $0 ?? "" }
        guard !parts.contains(where: { $0.contains(Self.separator) }) else { return nil }
        return Array(parts.joined(separator: String(Self.separator)).utf8)
    }

    /// Of no bytes; nil if it isn't such an identity.
    package init?(identity: [UInt8]) {
        guard let text = String(validating: identity, as: UTF8.self) else { return nil }
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map {
            $0.isEmpty ? nil : String($0)
        }
        guard parts.count == 4 else { return nil }
        self.init(
            bytes: 0, total: parts[0].flatMap { Int64($0) },
            validators: Validators(etag: parts[1], lastModified: parts[2]), mediaType: parts[3])
    }
}
