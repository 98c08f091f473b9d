package import YAMLSource

#if canImport(System)
package import System
#else
package import SystemPackage
#endif

/// A plugin that was found and can be started.
package struct Plugin: Sendable {
    /// What its manifest says.
    package var manifest: Manifest
    /// Where it lies.
    package var folder: FilePath
    /// How to start it.
    package var launch: PluginLaunch
    /// What is doubtful about its manifest.
    package var warnings: [Diagnostic] = []

    /// The name by which catalogs call it.
    package var name: String { manifest.name }

    /// What is wrong with the catalog parameters of a video or course that stands at `place`, each at its own place.
    ///
    /// What is inherited by many videos is reported for each of them at the same place; keep one of each.
    package func validate(_ parameters: [String: YAMLNode], at place: SourceLocation) -> [Diagnostic] {
        var check = ParameterCheck(owner: "provider `\(name)`")
        check.parameters(parameters, manifest.parameters, at: place)
        return check.problems
    }
}

/// A plugin that was found and can't be used.
package struct BrokenPlugin: Sendable, Equatable {
    /// Its name, or its folder's name where the manifest doesn't tell.
    package var name: String
    /// Where it lies.
    package var folder: FilePath
    /// Why, in one line.
    package var reason: String
    /// Every wrong place of its manifest.
    package var diagnostics: [Diagnostic] = []
}
