import Foundation
package import SystemPackage

/// The test data that lies beside the checkout: `COURSEFETCH_CORPORA`, else `../shared/corpora`.
package enum Corpora {
    /// Nil if it isn't there; a test then says so and is skipped.
    package static func folder(_ name: String, from file: String = #filePath) -> FilePath? {
        let root: FilePath
        if let given = ProcessInfo.processInfo.environment["COURSEFETCH_CORPORA"], !given.isEmpty {
            root = FilePath(given)
        } else {
            // Tests/TestSupport/Corpora.swift
            var checkout = FilePath(file)
            for _ in 0..<4 { checkout.removeLastComponent() }
            root = checkout.appending("shared").appending("corpora")
        }
        let folder = root.appending(name)
        return FileManager.default.fileExists(atPath: folder.string) ? folder : nil
    }
}
