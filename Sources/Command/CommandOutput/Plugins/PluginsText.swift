package import Operations
import Terminal

/// The output of `plugins list`.
package enum PluginsText {
    /// Lines of text: usable plugins with their capabilities, the others with their errors.
    package static func lines(_ listings: [PluginSummary], searched: [String]) -> [String] {
        guard !listings.isEmpty else {
            return ["no plugins; looked in:"] + searched.map { "  \($0)" }
                + ["To add a folder: --plugins FOLDER, or COURSEFETCH_PLUGINS."]
        }
        let names = listings.map { "\($0.name)\($0.version.map { " \($0)" } ?? "")" }
        let width = min(32, names.map { DisplayWidth.of($0) }.max() ?? 0)
        let lines = zip(listings, names).flatMap { listing, name in
            let title = TerminalFormat.fit(name, to: width)
            let indent = String(repeating: " ", count: width + 2)
            if let problem = listing.problem { return ["\(title)  broken: \(problem)", "\(indent)\(listing.folder)"] }
            if let other = listing.shadowedBy {
                return ["\(title)  not used: \(other) comes first", "\(indent)\(listing.folder)"]
            }
            let methods = listing.methods.joined(separator: ", ")
            var lines = [
                "\(title)  \(listing.summary ?? "no description")", "\(indent)\(methods); \(listing.folder)",
            ]
            let parameters = (listing.parameters ?? []).map { listing.required.contains($0) ? $0 + "*" : $0 }
            if !parameters.isEmpty { lines.append("\(indent)parameters: \(parameters.joined(separator: ", "))") }
            if !listing.credentials.isEmpty {
                let secrets = listing.credentials.map { listing.cookies.contains($0) ? "\($0) (cookies)" : $0 }
                lines.append("\(indent)login: \(secrets.joined(separator: ", "))")
            }
            return lines + listing.warnings.map { "\(indent)warning: \($0)" }
        }
        return lines.map(TerminalFormat.printable)
    }

    package static func json(_ listing: PluginSummary) -> [UInt8] {
        var line = JSONLine()
        line.field("name", listing.name)
        line.field("version", listing.version)
        line.field("protocol", listing.protocolVersion)
        line.field("description", listing.summary)
        line.field("methods", listing.methods)
        line.field("parameters", listing.parameters ?? [])
        line.field("required", listing.required)
        line.field("credentials", listing.credentials)
        line.field("cookies", listing.cookies)
        line.field("folder", listing.folder)
        line.field("warnings", listing.warnings)
        line.field("problem", listing.problem)
        line.field("shadowed_by", listing.shadowedBy)
        return line.finished()
    }
}
