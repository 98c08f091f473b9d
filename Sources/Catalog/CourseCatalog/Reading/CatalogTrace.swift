import Crypto
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a reading of catalogs depended on: the bytes of its files, and what its includes named. Comparing it reads no
/// YAML.
package struct CatalogTrace: Sendable, Codable {
    /// The paths that were given.
    private let given: [String]
    /// The real paths of all files.
    private let files: [String]
    private let includes: [CatalogInclude]

    /// Nil if a catalog isn't a file of the user.
    package init?(of catalog: Catalog, given: [String]) {
        guard catalog.files.allSatisfy({ $0.isFile && $0.stamp != nil }) else { return nil }
        self.given = given
        files = catalog.files.map(\.path)
        includes = catalog.includes
    }

    /// The SHA-256 of all that; nil if something can't be read. Of equal ones another reading would get the same.
    package func digest() -> [UInt8]? {
        var list = LengthPrefixed(.littleEndian)
        for path in given {
            guard let real = try? IncludePattern.resolve(path) else { return nil }
            list.add([path, real])
        }
        for include in includes {
            guard let paths = IncludePattern.paths(include.pattern, in: include.folder) else { return nil }
            list.add([include.pattern, include.folder, "\(paths.count)"])
            for path in paths {
                guard let real = try? IncludePattern.resolve(path) else { return nil }
                list.add([path, real])
            }
        }
        for path in files {
            guard let bytes = Self.digest(ofFile: path) else { return nil }
            list.add([path, bytes.hex])
        }
        return Array(SHA256.hash(data: list.bytes))
    }

    /// The SHA-256 of a regular file's bytes; nil if it can't be read.
    private static func digest(ofFile path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        var hash = SHA256()
        return withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { chunk in
            while true {
                let count = read(descriptor, chunk.baseAddress, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                if count == 0 { return Array(hash.finalize()) }
                hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            }
        }
    }
}
