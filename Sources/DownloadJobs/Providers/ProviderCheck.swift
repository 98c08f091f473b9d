package import CourseCatalog
import Foundation
package import ProviderHost
import SystemPackage
package import YAMLSource

/// Checks the providers and parameters of a catalog against the installed plugins.
package enum ProviderCheck {
    /// The plugins found by this process.
    package static func registry(_ folders: [String]) -> PluginRegistry {
        PluginRegistry.discover(
            extraFolders: folders.map { FilePath($0) }, environment: ProcessInfo.processInfo.environment,
            executable: executable)
    }

    /// The folders that are searched.
    package static func searchPath(_ folders: [String]) -> PluginSearchPath {
        PluginSearchPath(
            extraFolders: folders.map { FilePath($0) }, environment: ProcessInfo.processInfo.environment,
            executable: executable)
    }

    private static var executable: FilePath {
        FilePath(Bundle.main.executablePath ?? CommandLine.arguments.first ?? "")
    }

    /// Every mistake, each once however many videos inherit it; for each file the first hundred, the others as a
    /// number.
    package static func mistakes(in catalog: Catalog, _ registry: PluginRegistry) -> (kept: [Diagnostic], omitted: Int)
    {
        var seen: Set<ObjectIdentifier> = []
        var found: [String: DiagnosticList] = [:]
        var files: [String] = []
        var last: ObjectIdentifier?
        for course in catalog.courses {
            for videos in [course.videos] + course.chapters.map(\.videos) {
                for video in videos {
                    let settings = video.settings
                    let id = ObjectIdentifier(settings)
                    guard id != last else { continue }
                    last = id
                    guard seen.insert(id).inserted else { continue }
                    for mistake in mistakes(video, settings, registry) {
                        if found[mistake.file] == nil { files.append(mistake.file) }
                        found[mistake.file, default: DiagnosticList()].add(mistake)
                    }
                }
            }
        }
        let lists = files.compactMap { found[$0] }
        return (lists.flatMap(\.items), lists.reduce(0) { $0 + $1.omitted })
    }

    private static func mistakes(_ video: Video, _ settings: Settings, _ registry: PluginRegistry) -> [Diagnostic] {
        // A missing provider has been reported already.
        guard let provider = settings.provider, !provider.name.isEmpty else { return [] }
        switch registry.plugin(named: provider.name) {
        case .found(let plugin): return plugin.validate(settings.parameters, at: video.location)
        case .broken:
            // It exists: that it can't be used is reported at its first request, and affects nothing else.
            return []
        case .unknown(let suggestion):
            let message = "there is no provider '\(provider.name)'; see: coursefetch plugins list"
            return [Diagnostic(.error, at: provider.location, message, suggestion: suggestion)]
        }
    }
}
