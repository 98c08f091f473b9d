import Crypto
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a reading of catalogs depended on: what its paths and includes named, and the bytes of its files. Comparing it
/// reads no YAML.
package struct CatalogTrace: Sendable, Codable {
    private let given: [ResolvedPath]
    private let includes: [CatalogInclude]
    /// The real paths of all files.
    private let files: [String]

    /// Nil if a catalog isn't a file of the user.
    package init?(of catalog: Catalog) {
        guard catalog.files.allSatisfy({ $0.isFile && $0.stamp != nil }) else { return nil }
        given = catalog.given
        includes = catalog.includes
        files = catalog.files.map(\.path)
    }

    /// The SHA-256 of the bytes of all files; nil if one can't be read, or if a path or an include names another one
    /// than when the catalogs were read. With equal ones another reading would get the same.
    package func digest() -> [UInt8]? {
        guard given.allSatisfy({ (try? IncludePattern.resolve($0.path)) == $0.real }),
            includes.allSatisfy({ Self.names(of: $0) == $0.names })
        else { return nil }
        var list = LengthPrefixed(.littleEndian)
        for path in files {
            guard let bytes = Self.digest(ofFile: path) else { return nil }
            list.add([path, bytes.hex])
        }
        return Array(SHA256.hash(data: list.bytes))
    }

    /// What an include names now; nil if that can't be told.
    private static func names(of include: CatalogInclude) -> [ResolvedPath]? {
        guard let paths = IncludePattern.paths(include.pattern, in: include.folder) else { return nil }
        var names: [ResolvedPath] = []
        for path in paths {
            guard let real = try? IncludePattern.resolve(path) else { return nil }
            names.append(ResolvedPath(path: path, real: real))
        }
        return names
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
