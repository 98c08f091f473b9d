package import Operations
import SyncFacts

/// What `plugins new` has made, and what to do next.
package enum NewPluginText {
    /// Lines of text, with commands to paste.
    package static func lines(_ plugin: NewPlugin) -> [String] {
        let folder = ShellWord.quoted(plugin.folder)
        var lines = ["made \(plugin.folder): \(program(plugin)) is the provider, plugin.yaml describes it"]
        if plugin.language == .swift {
            lines += [
                "to build it:",
                "  swift build -c release --static-swift-stdlib --package-path \(folder)",
                "  cp \(folder)/.build/release/\(plugin.name) \(folder)/",
            ]
        }
        lines += ["to check it:", "  coursefetch plugins check \(folder)"]
        return lines
    }

    private static func program(_ plugin: NewPlugin) -> String {
        switch plugin.language {
        case .shell: plugin.name
        case .python: "\(plugin.name).py"
        case .swift: "the file in Sources/\(plugin.name)"
        }
    }
}
