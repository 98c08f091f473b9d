import Foundation

/// A folder of a test's own, gone with the last reference.
package final class TestFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array((NSTemporaryDirectory() + "/coursefetch-test-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw TestServerError("no temporary folder: errno \(errno)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A server that root starts reads as somebody else.
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of something in it.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Writes a file, and the folders above it.
    package func write(_ name: String, _ bytes: [UInt8]) throws {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    /// Reads a file.
    package func read(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path(name))))
    }
}

/// Why a server of the tests can't be had; says what to install where that helps.
package struct TestServerError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) {
        self.description = description
    }
}
