package import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written beside its place and takes the place in one step: at any instant, and after a kill or a power
/// loss, what is there is the old file or the new one, never a part.
///
/// Goes with the last reference if it hasn't taken its place. For one thread, and for one writer at a time: whoever
/// writes under a draft's name holds a lock, or uses a name of its own.
package final class DraftFile {
    /// Open for writing, for as long as this object lives.
    package let descriptor: CInt
    private let folder: FolderHandle
    private let name: String
    private let draft: String
    private var isPlaced = false

    /// Makes an empty draft; one that a kill left behind is made again.
    ///
    /// - Parameters:
    ///   - name: the file's name when it is whole.
    ///   - draft: its name until then; nil for `name` and `.new`.
    ///   - mode: the permissions that it has, whatever the umask; nil for what the umask leaves of 0666.
    package init(
        of name: String, in folder: FolderHandle, draft: String? = nil, mode: UInt16? = nil
    ) throws(Errno) {
        let draft = draft ?? name + ".new"
        // It may be a second name of a file that somebody needs.
        try folder.remove(draft)
        // Never open to more than it will be.
        descriptor = try folder.open(draft, O_WRONLY | O_CREAT | O_EXCL, mode: mode ?? 0o666)
        self.folder = folder
        self.name = name
        self.draft = draft
        if let mode { try systemCall { fchmod(descriptor, mode_t(mode)) } }
    }

    deinit {
        close(descriptor)
        if !isPlaced { try? folder.remove(draft) }
    }

    /// Writes the whole content.
    package func write(_ bytes: Data) throws(Errno) { try SmallFile.write(bytes, to: descriptor) }

    /// Takes the place, whatever file stood there. Durable on return.
    package func replace() throws(Errno) {
        try systemCall { fsync(descriptor) }
        try folder.replace(draft, over: folder, name)
        isPlaced = true
        try folder.flush()
    }

    /// Takes the place if nothing is there; throws `fileExists` otherwise. Durable on return.
    package func place() throws(Errno) {
        try systemCall { fsync(descriptor) }
        try folder.rename(draft, to: folder, name)
        isPlaced = true
        try folder.flush()
    }
}
