package import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written beside its place and replaces the old one in one step: at any instant, and after a kill or a
/// power loss, the path has the old file or the new one, never a part.
///
/// Removed with the last reference if it hasn't been placed. For one thread, and for one writer at a time: the writer
/// of a draft holds a lock, or uses a unique name.
package final class DraftFile {
    private let file: OpenFile
    private let folder: FolderHandle
    private let name: String
    private let draft: String
    private var isPlaced = false

    /// Open for writing, as long as this object lives.
    package var descriptor: CInt { file.descriptor }

    /// Makes an empty draft; a leftover of a kill is replaced.
    ///
    /// - Parameters:
    ///   - name: the file's final name.
    ///   - draft: its name until then; nil for `name` and `.new`.
    ///   - mode: its permissions, whatever the umask; nil for 0666 with the umask.
    package init(
        of name: String, in folder: FolderHandle, draft: String? = nil, mode: UInt16? = nil
    ) throws(Errno) {
        let draft = draft ?? name + ".new"
        // It may be a second name of another file.
        try folder.remove(draft)
        // Never with wider permissions than its final ones.
        file = try folder.openFile(draft, O_WRONLY | O_CREAT | O_EXCL, mode: mode ?? 0o666)
        self.folder = folder
        self.name = name
        self.draft = draft
        if let mode { try folder.calls.setMode(file.descriptor, mode) }
    }

    deinit {
        if !isPlaced { try? folder.remove(draft) }
    }

    /// Writes the whole content.
    package func write(_ bytes: Data) throws(Errno) {
        try SmallFile.write(bytes, to: file.descriptor, by: folder.calls)
    }

    /// Writes the whole content of another file.
    package func fill(from source: OpenFile) throws(Errno) {
        var written: Int64 = 0
        _ = try FileCopy.digest(of: source, shouldStop: { false }) { block throws(Errno) in
            try file.write(block, at: written)
            written += Int64(block.count)
        }
    }

    /// Replaces any existing file. Durable on return.
    package func replace() throws(Errno) {
        try file.flush()
        try folder.replace(draft, over: folder, name)
        isPlaced = true
        try folder.flush()
    }

    /// Takes its place if that is free; throws `fileExists` otherwise. Durable on return.
    package func place() throws(Errno) {
        try file.flush()
        try folder.rename(draft, to: folder, name)
        isPlaced = true
        try folder.flush()
    }
}
