package import ProviderKit
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
        var check = ParameterCheck(owner: "provider '\(name)'")
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

extension Plugin {
    /// Parameters of which the values are given as text, as on a command line: numbers and truth values where the manifest wants
    /// them. Whether all that are required are there isn't asked. Fails with what is wrong, each as a sentence.
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

/// What is wrong with parameters.
package struct ParameterProblems: Error, Sendable, Equatable {
    package let texts: [String]
}

extension ParameterSchema {
    /// A text as a value of one of the types that are taken.
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
