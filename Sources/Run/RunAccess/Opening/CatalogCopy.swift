import CourseCatalog
import Crypto
import FileSystem
import Foundation
import SystemPackage
import TextFormats

/// The last copy of a catalog fetched from an address, beside the state: the text, and the server's validators.
struct CatalogCopy: Sendable {
    /// The server's validators of a text, and the time when it was fetched.
    struct Mark: Codable, Equatable {
        var etag: String?
        var lastModified: String?
        var fetchedAt: Date
        /// Of the text: a mark that was written for another text is ignored.
        var sha256: String
    }

    /// The folder of the copies of all addresses.
    let folder: FilePath
    /// The name of both files.
    let name: String

    /// The text.
    var path: String { folder.appending(name + ".yaml").string }

    private var markPath: String { folder.appending(name + ".json").string }

    /// Nil if there is no complete copy.
    func mark() -> Mark? {
        guard let data = FileManager.default.contents(atPath: markPath),
            let mark = try? JSONReader.decode(Mark.self, from: data),
            let text = FileManager.default.contents(atPath: path), Self.digest(text) == mark.sha256
        else { return nil }
        return mark
    }

    /// The warning that this copy is read instead of the address; nil if there is no complete copy.
    func outdated(_ reason: CatalogInputProblem.Reason) -> CatalogInputProblem? {
        mark().map { .outdated(reason, fetched: Self.minute($0.fetchedAt)) }
    }

    /// `2026-11-22 02:30`, in local time.
    private static func minute(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: date)
    }

    /// Removes it, if it is there.
    func remove() {
        for file in [markPath, path] { unlink(file) }
    }

    /// Keeps a text. Whoever is killed between the two files leaves a mark that fits no text.
    func store(_ bytes: [UInt8], etag: String?, lastModified: String?, at now: Date) throws(Errno) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder.string, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Errno(rawValue: errno)
        }
        try AtomicFileWriter.write(bytes, to: path)
        let mark = Mark(
            etag: etag, lastModified: lastModified, fetchedAt: now, sha256: Self.digest(Data(bytes)))
        guard let data = try? JSONEncoder().encode(mark) else { return }
        try AtomicFileWriter.write(Array(data), to: markPath)
    }

    private static func digest(_ data: Data) -> String {
        SHA256.hash(data: data).hex
    }
}
