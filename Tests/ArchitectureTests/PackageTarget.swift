import Foundation

/// A target as Package.swift declares it.
struct PackageTarget {
    let kind: String
    let name: String
    /// Where its sources are, relative to the checkout.
    let folder: String
    /// The targets of this package that it depends on.
    let rooms: [String]

    /// All of them. Reads the text of the manifest: asking SwiftPM for it would wait for the build that runs the tests.
    static func all() throws -> [PackageTarget] {
        let text = try Checkout.text("Package.swift")
        let starts = text.matches(of: /\.(systemLibrary|target|executableTarget|testTarget)\(/)
        return zip(starts.indices, starts).compactMap { index, start in
            let end = index + 1 < starts.count ? starts[index + 1].range.lowerBound : text.endIndex
            let body = text[start.range.upperBound..<end]
            guard let name = body.firstMatch(of: /name: "([^"]+)"/) else { return nil }
            let kind = String(start.1)
            let path = body.firstMatch(of: /path: "([^"]+)"/).map { String($0.1) }
            let dependencies = body.firstMatch(of: /dependencies: \[([^\]]*)\]/).map { String($0.1) } ?? ""
            return PackageTarget(
                kind: kind, name: String(name.1),
                folder: path ?? (kind == "testTarget" ? "Tests/" : "Sources/") + name.1,
                rooms: dependencies.matches(of: /"([^"]+)"/).map { String($0.1) })
        }
    }
}
