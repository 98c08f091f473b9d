package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The names in a folder, without its folders, at one time.
///
/// All names are in one block of memory with an open-addressing table beside it: about 60 bytes for a usual name, and
/// no `String` is made. Names are compared byte by byte.
package struct FolderFileNames: Sendable {
    private var bytes: [UInt8] = []
    /// The start of each name; one more for the end of the last.
    private var starts: [Int] = [0]
    /// Number of a name + 1, by hash; 0 is free. The size is a power of two.
    private var table: [UInt32] = []

    /// For a folder that doesn't exist.
    package init() {}

    /// Reads the folder once.
    package init(of folder: FolderHandle) throws(Errno) {
        try folder.forEachEntry { name, isFolder in
            if isFolder != true { append(name) }
            return true
        }
        index()
    }

    package var count: Int { starts.count - 1 }

    /// Whether the folder has this name, and it isn't a folder's.
    package func contains(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { contains(UnsafeRawBufferPointer($0)) }
    }

    package var names: [String] {
        (0..<count).map { String(decoding: bytes[starts[$0]..<starts[$0 + 1]], as: UTF8.self) }
    }

    /// Calls `body` with the bytes of each name, in the order of these.
    package func forEachSorted(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { all in
            let names = (0..<count).map { UnsafeRawBufferPointer(rebasing: all[starts[$0]..<starts[$0 + 1]]) }
            for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) { body(name) }
        }
    }

    /// Like ``contains(_:)``, for the bytes of a name.
    package func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        guard !table.isEmpty else { return false }
        let mask = table.count - 1
        var slot = Self.hash(name) & mask
        return bytes.withUnsafeBytes { all in
            while table[slot] != 0 {
                let index = Int(table[slot]) - 1
                let length = starts[index + 1] - starts[index]
                if length == name.count, let candidate = all.baseAddress, let wanted = name.baseAddress,
                    memcmp(candidate + starts[index], wanted, length) == 0
                {
                    return true
                }
                slot = (slot + 1) & mask
            }
            return false
        }
    }

    private mutating func append(_ name: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: name)
        starts.append(bytes.count)
    }

    private mutating func index() {
        guard count > 0, count < Int(UInt32.max) else { return }
        var size = 16
        while size < count * 2 { size *= 2 }
        table = [UInt32](repeating: 0, count: size)
        bytes.withUnsafeBytes { all in
            for number in 0..<(starts.count - 1) {
                let name = UnsafeRawBufferPointer(rebasing: all[starts[number]..<starts[number + 1]])
                var slot = Self.hash(name) & (size - 1)
                while table[slot] != 0 { slot = (slot + 1) & (size - 1) }
                table[slot] = UInt32(number + 1)
            }
        }
    }

    /// With a seed for each process: a folder full of chosen names costs no more than another.
    private static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: name)
        return hasher.finalize()
    }
}
