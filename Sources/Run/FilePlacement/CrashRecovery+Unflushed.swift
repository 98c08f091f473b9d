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
            // Another source may have other bytes under the same ETag.
            guard let said = BytesIdentity(bytes.identity), let row = try store.downloads.record(id),
                said.source == row.catalog.source, row.state.isOpen, !row.isPlacing, row.kind ?? .file == .file,
                row.position == nil, row.durableBytes < bytes.end,
                // One that has started over may have no try left to continue: it begins anew.
                row.durableBytes > 0 || row.startOvers + row.validatorFailures == 0,
                isDurable(bytes, PartialName(download: bytes.download))
            else { continue }
            var facts = said.facts
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

/// Whose bytes are in a partial, for ``UnflushedBytes/identity``: their source, and what the server said of them.
package struct BytesIdentity {
    private static let separator: Character = "\0"

    let source: SourceDigest
    /// Of no bytes.
    let facts: ProgressFacts

    package init(source: SourceDigest, _ facts: ProgressFacts) {
        self.source = source
        self.facts = facts
    }

    /// Nil if it can't be written.
    package var bytes: [UInt8]? {
        let (total, validators) = (facts.total.map(String.init), facts.validators)
        let parts = [source.hex, total, validators.etag, validators.lastModified, facts.mediaType].map { $0 ?? "" }
        guard !parts.contains(where: { $0.contains(Self.separator) }) else { return nil }
        return Array(parts.joined(separator: String(Self.separator)).utf8)
    }

    /// Nil if it isn't one.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let parts = text.split(separator: Self.separator, omittingEmptySubsequences: false).map {
            $0.isEmpty ? nil : String($0)
        }
        guard parts.count == 5, let source = SourceDigest(hex: parts[0] ?? "") else { return nil }
        self.source = source
        facts = ProgressFacts(
            bytes: 0, total: parts[1].flatMap { Int64($0) },
            validators: Validators(etag: parts[2], lastModified: parts[3]), mediaType: parts[4])
    }
}
