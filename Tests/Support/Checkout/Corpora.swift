package import Foundation
package import SystemPackage

/// The test data that lies beside the checkout: `COURSEFETCH_CORPORA`, else `../shared/corpora`.
package enum Corpora {
    /// Nil if it isn't there; a test then says so and is skipped.
    package static func folder(_ name: String) -> FilePath? {
        let given = ProcessInfo.processInfo.environment["COURSEFETCH_CORPORA"] ?? ""
        let folder = FilePath(given.isEmpty ? Checkout.path("../shared/corpora") : given).appending(name)
        return FileManager.default.fileExists(atPath: folder.string) ? folder : nil
    }

    /// The same as a URL.
    package static func url(_ name: String) -> URL? { folder(name).map { URL(filePath: $0.string) } }
}
