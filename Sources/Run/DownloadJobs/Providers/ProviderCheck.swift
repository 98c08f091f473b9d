package import CourseCatalog
import Foundation
package import ProviderHost
import SyncFacts
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
            for mistake in course.discovery.map({ mistakes(course, $0, registry) }) ?? [] {
                if found[mistake.file] == nil { files.append(mistake.file) }
                found[mistake.file, default: DiagnosticList()].add(mistake)
            }
            if course.discover { seen.insert(ObjectIdentifier(course.settings)) }
            for videos in [course.videos] + course.chapters.map(\.videos) {
                for video in videos {
                    let settings = video.settings
                    let id = ObjectIdentifier(settings)
                    guard id != last else { continue }
                    last = id
                    guard seen.insert(id).inserted else { continue }
                    for mistake in mistakes(settings, at: video.location, registry) {
                        if found[mistake.file] == nil { files.append(mistake.file) }
                        found[mistake.file, default: DiagnosticList()].add(mistake)
                    }
                }
            }
        }
        let lists = files.compactMap { found[$0] }
        return (lists.flatMap(\.items), lists.reduce(0) { $0 + $1.omitted })
    }

    /// Of a course that its provider lists.
    private static func mistakes(
        _ course: Course, _ discovery: Discovery, _ registry: PluginRegistry
    ) -> [Diagnostic] {
        var mistakes = mistakes(course.settings, at: course.location, registry)
        if let provider = course.settings.provider, case .found(let plugin) = registry.plugin(named: provider.name),
            !plugin.manifest.methods.contains("list")
        {
            let message = "the provider '\(provider.name)' can't list courses; write the videos, or use another one"
            mistakes.append(Diagnostic(.error, at: course.location, message))
        }
        for pattern in discovery.include + discovery.exclude {
            if (try? TitlePattern(pattern.text[...])) == nil {
                mistakes.append(
                    Diagnostic(.error, at: pattern.location, "'\(pattern.text)' isn't a pattern; a [ needs its ]"))
            }
        }
        return mistakes
    }

    private static func mistakes(
        _ settings: Settings, at place: SourceLocation, _ registry: PluginRegistry
    ) -> [Diagnostic] {
        // A missing provider has been reported already.
        guard let provider = settings.provider, !provider.name.isEmpty else { return [] }
        switch registry.plugin(named: provider.name) {
        case .found(let plugin): return plugin.validate(settings.parameters, at: place)
        case .broken:
            // It exists: that it can't be used is reported at its first request, and affects nothing else.
            return []
        case .unknown(let suggestion):
            let message = "there is no provider '\(provider.name)'; see: \(SuggestedCommand.text("plugins list"))"
            return [Diagnostic(.error, at: provider.location, message, suggestion: suggestion)]
        }
    }
}
