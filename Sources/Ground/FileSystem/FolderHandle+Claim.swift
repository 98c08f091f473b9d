import Crypto
import Foundation
import SystemPackage
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A rename that never replaces, where the file system has neither `renameat2` nor links.
extension FolderHandle {
    /// The last resort: the exclusive creation of an empty file claims the name, and only that file is replaced.
    ///
    /// A hidden note beside the source says so before: after a kill the empty file is known to be ours.
    func claimAndReplace(_ name: String, to folder: FolderHandle, _ newName: String) throws(Errno) {
        guard try entry(name) != nil else { throw .noSuchFileOrDirectory }
        guard try folder.entry(newName) == nil else { throw .fileExists }
        let note = Self.note(of: name, newName)
        _ = try openFile(note, O_WRONLY | O_CREAT)
        try flush()
        do {
            _ = try folder.openFile(newName, O_WRONLY | O_CREAT | O_EXCL)
        } catch {
            try? remove(note)
            throw error
        }
        do {
            try replaceClaim(newName, in: folder, with: name)
        } catch {
            try? folder.remove(newName)
            try? remove(note)
            throw error
        }
    }

    /// Whether a name is taken by the empty file of an earlier call that was killed.
    func hasClaimed(_ newName: String, in folder: FolderHandle, for name: String) throws(Errno) -> Bool {
        guard case .file? = try entry(Self.note(of: name, newName)), case .file(let there)? = try folder.entry(newName)
        else { return false }
        return there.size == 0
    }

    func replaceClaim(_ newName: String, in folder: FolderHandle, with name: String) throws(Errno) {
        try replace(name, over: folder, newName)
        try? remove(Self.note(of: name, newName))
    }

    private static func note(of name: String, _ newName: String) -> String {
        ".claim-" + Array(SHA256.hash(data: Data("\(name)\0\(newName)".utf8)).prefix(8)).hex
    }
}
