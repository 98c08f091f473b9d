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
        var checks = ProviderChecks(registry: registry)
        func add(_ mistakes: [Diagnostic]) {
            for mistake in mistakes {
                if found[mistake.file] == nil { files.append(mistake.file) }
                found[mistake.file, default: DiagnosticList()].add(mistake)
            }
        }
        for source in catalog.courseSources { add(checks.mistakes(source)) }
        for course in catalog.courses {
            add(course.discovery.map { checks.mistakes(course, $0) } ?? [])
            if course.discover { seen.insert(ObjectIdentifier(course.settings)) }
            for videos in [course.videos] + course.chapters.map(\.videos) {
                for video in videos {
                    let settings = video.settings
                    let id = ObjectIdentifier(settings)
                    guard id != last else { continue }
                    last = id
                    guard seen.insert(id).inserted else { continue }
                    add(checks.mistakes(settings, at: video.location))
                }
            }
        }
        let lists = files.compactMap { found[$0] }
        return (lists.flatMap(\.items), lists.reduce(0) { $0 + $1.omitted })
    }
}

/// The check of each provider that a catalog names, looked up once: 100,000 videos may have one.
private struct ProviderChecks {
    /// The mistakes in the settings of a video or course at a place.
    private typealias Check = (Settings, SourceLocation) -> [Diagnostic]

    private let registry: PluginRegistry
    private var checks: [String: Check] = [:]

    init(registry: PluginRegistry) { self.registry = registry }

    mutating func mistakes(_ settings: Settings, at place: SourceLocation) -> [Diagnostic] {
        // A missing provider has been reported already.
        guard let provider = settings.provider?.name, !provider.isEmpty else { return [] }
        if let check = checks[provider] { return check(settings, place) }
        let check = check(of: provider)
        checks[provider] = check
        return check(settings, place)
    }

    /// Of a course that its provider lists.
    mutating func mistakes(_ course: Course, _ discovery: Discovery) -> [Diagnostic] {
        var mistakes = mistakes(course.settings, at: course.location)
        if let provider = course.settings.provider, case .found(let plugin) = registry.plugin(named: provider.name),
            !plugin.manifest.methods.contains("list")
        {
            let message = "the provider '\(provider.name)' can't list courses; write the videos, or use another one"
            mistakes.append(Diagnostic(.error, at: course.location, message))
        }
        return mistakes + self.mistakes(discovery)
    }

    /// Of an item of `courses_of`. The parameters that it lacks come with each course.
    mutating func mistakes(_ source: CourseSource) -> [Diagnostic] {
        let (list, provider) = (source.list, source.list.settings.provider)
        var mistakes: [Diagnostic] = []
        switch provider.map({ registry.plugin(named: $0.name) }) {
        case .found(let plugin):
            mistakes = plugin.validate(list.settings.parameters, at: list.location, isComplete: false)
            if !plugin.manifest.methods.isSuperset(of: ["courses", "list"]) {
                let message =
                    "the provider '\(plugin.name)' can't list a user's courses; write them, or use another one"
                mistakes.append(Diagnostic(.error, at: list.location, message))
            }
        case .unknown(let suggestion):
            mistakes = [
                Self.unknown(provider?.name ?? "", at: provider?.location ?? list.location, suggestion)
            ]
        case .broken, nil: break
        }
        return mistakes + [list.discovery, source.discovery].compactMap(\.self).flatMap { self.mistakes($0) }
    }

    private func mistakes(_ discovery: Discovery) -> [Diagnostic] {
        var mistakes = discovery.handOver.flatMap { self.mistakes(handingOverTo: $0) }
        for pattern in discovery.include + discovery.exclude {
            if (try? TitlePattern(pattern.text[...])) == nil {
                mistakes.append(
                    Diagnostic(.error, at: pattern.location, "'\(pattern.text)' isn't a pattern; a [ needs its ]"))
            }
        }
        return mistakes
    }

    /// Of a provider that a listing may name.
    private func mistakes(handingOverTo provider: ProviderReference) -> [Diagnostic] {
        switch registry.plugin(named: provider.name) {
        case .found(let plugin):
            guard !plugin.manifest.methods.contains("resolve") else { return [] }
            let message = "the provider '\(provider.name)' can't resolve videos"
            return [Diagnostic(.error, at: provider.location, message)]
        case .broken: return []
        case .unknown(let suggestion): return [Self.unknown(provider.name, at: provider.location, suggestion)]
        }
    }

    private static func unknown(_ name: String, at place: SourceLocation, _ suggestion: String?) -> Diagnostic {
        let message = "there is no provider '\(name)'; see: \(SuggestedCommand.text("plugins list"))"
        return Diagnostic(.error, at: place, message, suggestion: suggestion)
    }

    private func check(of provider: String) -> Check {
        switch registry.plugin(named: provider) {
        case .found(let plugin): return { plugin.validate($0.parameters, at: $1) }
        case .broken:
            // It exists: that it can't be used is reported at its first request, and affects nothing else.
            return { _, _ in [] }
        case .unknown(let suggestion):
            return { settings, place in
                [Self.unknown(provider, at: settings.provider?.location ?? place, suggestion)]
            }
        }
    }
}
