package import CourseCatalog
import DownloadJobs
package import ProviderHost
package import SyncFacts
package import YAMLSource

package struct CheckReport: Sendable {
    /// In order of the files; at most 100 of each.
    package var diagnostics: [Diagnostic]
    /// Errors that are not among the diagnostics.
    package var omitted: Int
    /// `.invalidCatalog`, `.unreadableCatalog`, or none.
    package var conditions: Set<SyncCondition>
    /// The number of files read.
    package var files: Int
    package var courses: Int
    package var videos: Int
    /// The providers that are asked for more courses.
    package var sources: [String] = []

    package init(
        diagnostics: [Diagnostic], omitted: Int = 0, conditions: Set<SyncCondition> = [], files: Int, courses: Int,
        videos: Int
    ) {
        self.diagnostics = diagnostics
        self.omitted = omitted
        self.conditions = conditions
        self.files = files
        self.courses = courses
        self.videos = videos
    }
}

extension CheckReport {
    /// The warnings about valid catalogs.
    package var warnings: [SyncWarning] { diagnostics.map { .doubtful($0) } }
}

extension SyncSummary {
    /// For a run with invalid catalogs.
    package init(_ check: CheckReport) { self.init(conditions: check.conditions, errors: check.diagnostics.errors) }
}

/// Reads and validates catalogs: the same for `check` and for a sync.
package enum CatalogCheck {
    /// `plugins` names folders to search first; nil ignores providers.
    package static func run(_ catalogs: CatalogSources, plugins: [String]?) async -> CheckReport {
        await read(catalogs, plugins: plugins).report
    }

    /// The catalogs as well.
    package static func read(
        _ catalogs: CatalogSources, plugins: [String]?
    ) async -> (catalog: Catalog, report: CheckReport) {
        await read(catalogs, registry: plugins.map(ProviderCheck.registry))
    }

    /// The JSON Schema of the format.
    package static var schema: String { CatalogSchema.json }

    /// The catalogs and their diagnostics.
    package static func read(
        _ catalogs: CatalogSources, registry: PluginRegistry?
    ) async -> (catalog: Catalog, report: CheckReport) {
        let inputs = await catalogs.inputs()
        defer { CatalogSources.discard(inputs) }
        let (catalog, report) = check(CatalogReader.read(inputs, part: catalogs.part), registry)
        return (catalogs.shardOfVideos.map(catalog.divided(amongVideosFor:)) ?? catalog, report)
    }

    /// For each selector whether a catalog has a video that it means. Also true if only a provider can tell.
    package static func matches(_ selectors: [Selector], in catalog: Catalog) -> [Bool] {
        selectors.map { selector in
            // What `course/video` means is settled by the comparison.
            let meanings = selector.mayLackItsChapter ? [selector, selector.asVideo] : [selector]
            if !catalog.courseSources.isEmpty || selector.title != nil { return true }
            return catalog.courses.contains { course in
                guard selector.course.matches(course.id) else { return false }
                let chapters = course.chapters.map { ($0.id as String?, $0.videos) } + [(nil, course.videos)]
                return course.discover
                    || chapters.contains { chapter, videos in
                        videos.contains { video in
                            let reference = VideoReference(
                                course: course.id, chapter: chapter, video: video.id, title: video.title)
                            return meanings.contains { $0.matches(reference) }
                        }
                    }
            }
        }
    }

    private static func check(
        _ reading: CatalogReading, _ registry: PluginRegistry?
    ) -> (catalog: Catalog, report: CheckReport) {
        var diagnostics = reading.diagnostics
        var conditions: Set<SyncCondition> = []
        var omitted = 0
        switch reading.verdict {
        case .invalid: conditions = [.invalidCatalog]
        case .unreadable: conditions = [.unreadableCatalog]
        case .valid: break
        }
        if let registry {
            let found = ProviderCheck.mistakes(in: reading.catalog, registry)
            omitted = found.omitted
            var mistakes = found.kept
            if conditions.isEmpty, mistakes.contains(where: { $0.severity == .error }) {
                conditions = [.invalidCatalog]
            }
            let paths = Dictionary(
                reading.catalog.files.map { ($0.shownPath, $0.contentPath) }, uniquingKeysWith: { first, _ in first })
            mistakes.addExcerpts { paths[$0] ?? $0 }
            diagnostics += mistakes
            // A file's mistakes are sorted by line, whatever found them.
            let order = Dictionary(
                reading.catalog.files.enumerated().map { ($1.shownPath, $0) }, uniquingKeysWith: { first, _ in first })
            diagnostics.sort {
                (order[$0.file] ?? .max, $0.line, $0.column) < (order[$1.file] ?? .max, $1.line, $1.column)
            }
        }
        let catalog = reading.catalog
        let kept = reading.diagnostics.count { $0.severity == .error }
        var report =
            CheckReport(
                diagnostics: diagnostics, omitted: omitted + max(0, reading.errorCount - kept), conditions: conditions,
                files: catalog.files.count, courses: catalog.courses.count, videos: catalog.videoCount)
        report.sources = catalog.courseSources.compactMap { $0.list.settings.provider?.name }
        return (catalog, report)
    }
}

extension LocatedMessage {
    /// The diagnostic in the form of the last event.
    init(_ diagnostic: Diagnostic) {
        self.init(
            file: diagnostic.file, line: diagnostic.line > 0 ? diagnostic.line : nil,
            column: diagnostic.line > 0 ? diagnostic.column : nil, message: diagnostic.summary)
    }
}

extension [Diagnostic] {
    /// The errors in the form of the last event.
    package var errors: [SyncProblem] { filter { $0.severity == .error }.map { .mistake(LocatedMessage($0)) } }
}
