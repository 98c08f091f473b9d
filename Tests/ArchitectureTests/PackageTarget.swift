import Checkout
import Foundation

/// A target as Package.swift declares it.
struct PackageTarget {
    let name: String
    /// Where its sources are, relative to the checkout.
    let folder: String
    /// The targets of this package that it depends on.
    let rooms: [String]
    /// The modules of other packages that it depends on.
    let products: [String]

    /// All of a manifest, by its text: SwiftPM would wait for the build that runs the tests.
    static func all(in manifest: String = "Package.swift") throws -> [PackageTarget] {
        let text = try Checkout.text(manifest)
        var modules: [String: String] = [:]
        for product in text.matches(of: /let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/) {
            modules[String(product.1)] = String(product.2)
        }
        let starts = text.matches(
            of: /(?:(?:Library|arget)|room|tests|shared)\(\s*(?:"(\w+)", |name: )"([\w-]+)"/)
        return starts.indices.map { index in
            let start = starts[index]
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
            let body = text[start.range.upperBound..<end]
            let name = String(start.2)
            // A call of `room`, `tests` or `shared` has a floor, and its list has no label.
            let list =
                start.1 == nil
                ? body.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1 : body.prefixMatch(of: /,\s*\[([^\]]*)\]/)?.1
            let top = text[start.range].hasPrefix("room") ? "Sources" : "Tests"
            let folder =
                start.1.map { "\(top)/\($0)/\(name)" } ?? body.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
                ?? "Tests/\(name)"
            let words = (list ?? "").split { $0 == "," || $0.isWhitespace }
            return PackageTarget(
                name: name, folder: folder,
                rooms: words.filter { $0.hasPrefix("\"") }.map { String($0.dropFirst().dropLast()) },
                products: words.compactMap { modules[String($0)] })
        }
    }
}
