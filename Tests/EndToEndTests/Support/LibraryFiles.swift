import Crypto
import Foundation
import SystemPackage
import TestServers

/// The files in a library under final names.
struct LibraryFiles {
    /// SHA-256 in hex by the path relative to the library.
    private(set) var digests: [String: String] = [:]

    init(_ library: FilePath) {
        for name in (try? FileManager.default.subpathsOfDirectory(atPath: library.string)) ?? [] {
            guard !name.hasPrefix(".coursefetch") else { continue }
            let path = library.appending(name).string
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            digests[name] = Self.digest(path)
        }
    }

    /// In pieces: a library may be larger than the memory.
    private static func digest(_ path: String) -> String {
        var hasher = SHA256()
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return "" }
        defer { try? file.close() }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { piece.deallocate() }
        while let count = try? file.read(into: piece), count > 0 {
            hasher.update(bufferPointer: UnsafeRawBufferPointer(rebasing: piece[..<count]))
        }
        return hasher.finalize().hexText
    }

    var paths: [String] { digests.keys.sorted() }
}

extension Digest {
    /// In hexadecimal.
    var hexText: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// The inode of a file; nil if there is none.
func inode(_ path: FilePath) -> Int? {
    (try? FileManager.default.attributesOfItem(atPath: path.string)[.systemFileNumber]) as? Int
}
