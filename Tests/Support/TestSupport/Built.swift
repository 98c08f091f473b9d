import Foundation
package import SystemPackage

/// The executables of this package, built beside the test program.
package enum Built {
    package static func executable(_ name: String) -> FilePath { folder.appending(name) }

    private static var folder: FilePath {
        #if os(Linux)
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return FilePath(program).removingLastComponent()
        #else
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return FilePath(bundle.bundlePath).removingLastComponent()
        #endif
    }
}
