import Foundation

/// The path of a temporary file.
struct TemporaryFile {
    let path = FileManager.default.temporaryDirectory.appending(path: "coursefetch-\(UUID().uuidString).yaml")
        .path(percentEncoded: false)

    /// Removes the file, if it was made.
    func remove() { unlink(path) }
}
