import Crypto
import DownloadStore
import FileSystem
import MediaLibrary

/// `SHA256SUMS` at the root of a copy, for `sha256sum -c`.
enum CopiedChecksums {
    static let name = "SHA256SUMS"

    static func sha256(of bytes: [UInt8]) -> Checksum { Checksum(SHA256.hash(data: bytes)) }

    /// A line for each file of these subjects, sorted by path.
    static func text(_ entries: [FileListEntry]) -> String {
        let files = entries.filter { !$0.course.isEmpty }.flatMap(\.files)
        return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            .compactMap { file in file.record.sha256.map { line($0.hex, file.path) } }.joined()
    }

    /// The line of the list of files about it.
    static func entry(_ bytes: [UInt8]) -> FileListEntry {
        var entry = FileListEntry(course: "", title: "")
        (entry.path, entry.size, entry.modified) = (name, Int64(bytes.count), 0)
        entry.sha256 = sha256(of: bytes).hex
        return entry
    }

    /// As sha256sum(1) writes it: a name with a backslash or a line break in it is escaped, and the line says so.
    private static func line(_ sha256: String, _ path: String) -> String {
        guard path.utf8.contains(where: { [0x5C, 0x0A, 0x0D].contains($0) }) else { return "\(sha256)  \(path)\n" }
        let escaped = path.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            default: String(scalar)
            }
        }.joined()
        return "\\\(sha256)  \(escaped)\n"
    }
}
