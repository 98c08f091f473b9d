package import ProviderKit
package import YAMLSource

#if canImport(System)
package import System
#else
package import SystemPackage
#endif

/// A plugin that can be started.
package struct Plugin: Sendable {
    package var manifest: Manifest
    package var folder: FilePath
    /// The parameters of its process.
    package var launch: PluginLaunch
    /// Warnings about its manifest.
    package var warnings: [Diagnostic] = []

    /// Its name in catalogs.
    package var name: String { manifest.name }

    /// Mistakes in the catalog parameters of a video or course at `place`, each at its own position.
    ///
    /// Parameters inherited by many videos are reported for each of them at the same position; keep one of each.
    ///
    /// - Parameter isComplete: Whether a required one that isn't there is a mistake.
    package func validate(
        _ parameters: [String: YAMLNode], at place: SourceLocation, isComplete: Bool = true
    ) -> [Diagnostic] {
        var check = ParameterCheck(owner: "provider '\(name)'")
        check.parameters(parameters, manifest.parameters, at: place, isComplete: isComplete)
        return check.problems
    }
}

/// A plugin that can't be used.
package struct BrokenPlugin: Sendable, Equatable {
    /// Its name, or its folder's name if the manifest has none.
    package var name: String
    package var folder: FilePath
    /// The reason, in one line.
    package var reason: String
    /// All mistakes in its manifest.
    package var diagnostics: [Diagnostic] = []
}

extension Plugin {
    /// Converts parameters given as text, as on a command line, to numbers and truth values if the manifest has those
    /// types. Doesn't check for missing required ones. Fails with the mistakes, one sentence each.
    package func parameters(of texts: [String: String]) -> Result<[String: JSONValue], ParameterProblems> {
        let place = SourceLocation(SourceName(name), .wholeFile)
        var check = ParameterCheck(owner: "provider '\(name)'")
        var parameters: [String: JSONValue] = [:]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            let node = YAMLNode(manifest.parameters.property(name)?.value(of: text) ?? .string(text), at: place)
            check.parameter(name, node, manifest.parameters)
            parameters[name] = JSONValue(node)
        }
        guard check.problems.isEmpty else {
            return .failure(ParameterProblems(texts: check.problems.map(\.summary)))
        }
        return .success(parameters)
    }
}

/// Mistakes in parameters.
package struct ParameterProblems: Error, Sendable, Equatable {
    package let texts: [String]
}

extension ParameterSchema {
    /// A text as a value of one of the allowed types.
    fileprivate func value(of text: String) -> YAMLValue {
        for kind in kinds ?? [] {
            switch kind {
            case .integer: if let number = Int(text) { return .int(number) }
            case .number: if let number = Double(text), number.isFinite { return .double(number) }
            case .boolean: if let flag = Bool(text) { return .bool(flag) }
            case .string, .null, .array, .object: break
            }
        }
        return .string(text)
    }
}
