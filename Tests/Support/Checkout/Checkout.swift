package import Foundation

/// The files of this package, as they are in the checkout that these tests were built from.
package enum Checkout {
    /// Its folder: that of Tests/Support/Checkout/Checkout.swift, four levels up.
    package static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }

    /// A path in it.
    package static func path(_ relative: String = "") -> String {
        (relative.isEmpty ? root : root.appending(path: relative)).path(percentEncoded: false)
    }

    /// A file's text.
    package static func text(_ relative: String) throws -> String {
        try String(contentsOf: URL(filePath: path(relative)), encoding: .utf8)
    }

    /// The contents of a folder, sorted, without hidden names.
    package static func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path(folder))) ?? []
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The folders in a folder, sorted.
    package static func folders(in folder: String) -> [String] {
        names(in: folder).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path(folder + "/" + name), isDirectory: &isFolder)
                && isFolder.boolValue
        }
    }

    /// The Swift files anywhere beneath a folder, as paths in the checkout.
    package static func swiftFiles(under folder: String) -> [String] {
        ((try? FileManager.default.subpathsOfDirectory(atPath: path(folder))) ?? [])
            .filter { $0.hasSuffix(".swift") }.sorted().map { folder + "/" + $0 }
    }

    /// The lines of code of a Swift file, without comments.
    package static func code(_ file: String) throws -> [String] {
        try text(file).split(separator: "\n").map { line in
            line.trimming(while: \.isWhitespace).hasPrefix("//") ? "" : String(line.prefix(upTo: " // "))
        }
    }
}

extension Substring {
    fileprivate func trimming(while condition: (Character) -> Bool) -> Substring { drop(while: condition) }

    fileprivate func prefix(upTo mark: String) -> Substring {
        firstRange(of: mark).map { self[..<$0.lowerBound] } ?? self
    }
}
