import CourseCatalog
import CourseDiscovery
import DownloadJobs
package import DownloadStore
import FileSystem
import Foundation
package import Logging
import ProviderHost
import ProviderKit
import RunAccess
package import SyncFacts
import SystemPackage
import YAMLSource

/// A catalog of one course that a provider lists, or of all courses that the user has there, as text.
package enum CatalogFromProvider {
    /// A catalog.
    package struct Written: Sendable {
        package var provider: String
        package var text: String
        /// How many courses it has.
        package var courses = 1
        /// How many videos the provider lists of its course; nil if it has all of the user's courses, whose videos
        /// weren't asked for.
        package var videos: Int?
        /// Videos of other providers that it leaves out.
        package var refused: [SyncWarning.RefusedHandOver] = []

        package init(provider: String, text: String) {
            self.provider = provider
            self.text = text
        }
    }

    /// Asks the provider, and writes the catalog. `expands`: with all of its videos, instead of `discover: true`.
    ///
    /// - Parameters:
    ///   - texts: The parameters, as given on a command line.
    ///   - id: The course's id; nil makes one of its title.
    ///   - asksCourses: Whether to write the user's courses, which is done anyway if the parameters aren't complete,
    ///     and the provider lists courses.
    package static func text(
        provider name: String, parameters texts: [String: String], id: String?, expands: Bool, asksCourses: Bool,
        user: String?, state: String?, plugins: [String], caFile: String?,
        helpers: CredentialHelpers = CredentialHelpers(), logger: Logger
    ) async throws(Refusal) -> Result<Written, DownloadError> {
        let registry = ProviderCheck.registry(plugins)
        let plugin: Plugin
        switch registry.plugin(named: name) {
        case .found(let found): plugin = found
        case .broken(let broken): throw .provider(.unusable(broken.name, reason: broken.reason))
        case .unknown(let suggestion): throw .provider(.unknown(name, suggestion: suggestion))
        }
        let parameters: [String: JSONValue]
        do throws(ParameterProblems) {
            parameters = try plugin.parameters(of: texts).get()
        } catch { throw .provider(.parameters(plugin.name, error.texts)) }
        if asksCourses, !plugin.manifest.methods.contains("courses") { throw .provider(.listsNoCourses(plugin.name)) }
        let isList =
            asksCourses
            || (!expands && id == nil && plugin.manifest.methods.contains("courses") && plugin.lacks(parameters))
        let draft = GeneratedCatalog(provider: plugin.name, parameters: parameters, id: id ?? "course")
        let source = isList ? try await source(draft, registry) : nil
        let course: Course
        if let source { course = source.list } else { course = try await Self.course(draft, registry) }
        let access = try ProviderAccess(
            StateLocation(user: user, state: state), registry: registry, caFile: caFile, helpers: helpers,
            logger: logger)
        defer { access.close() }
        let pages: ListingPages
        do throws(ProviderError) {
            pages = try await source == nil ? access.pages(of: course) : access.courses(of: course)
        } catch {
            await access.pool.shutDown()
            return .failure(DownloadError(error))
        }
        await access.pool.shutDown()
        let listing = pages.listing
        if let source {
            let courses = draft.courses(of: listing, source)
            var written = Written(provider: plugin.name, text: GeneratedCatalog.text(of: courses))
            written.courses = courses.count
            return .success(written)
        }
        var catalog = draft
        catalog.title = listing.title
        catalog.id = id ?? FirstCatalog.identifier(listing.title ?? plugin.name)
        var written = Written(
            provider: plugin.name, text: expands ? catalog.text(expanding: listing) : catalog.text())
        written.videos = listing.videos.count
        written.refused = pages.handOver.refused
        return .success(written)
    }

    /// The course of the catalog, read and checked as every catalog is.
    static func course(_ draft: GeneratedCatalog, _ registry: PluginRegistry) async throws(Refusal) -> Course {
        guard let course = try await catalog(draft, draft.text(), registry).courses.first else {
            throw .provider(.parameters(draft.provider, []))
        }
        return course
    }

    /// What asks for all courses, read and checked as every catalog is.
    private static func source(
        _ draft: GeneratedCatalog, _ registry: PluginRegistry
    ) async throws(Refusal) -> CourseSource {
        guard let source = try await catalog(draft, draft.sourceText(), registry).courseSources.first else {
            throw .provider(.parameters(draft.provider, []))
        }
        return source
    }

    private static func catalog(
        _ draft: GeneratedCatalog, _ text: String, _ registry: PluginRegistry
    ) async throws(Refusal) -> Catalog {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml").path
        try FirstFiles.write([.init(path: file, text: text)])
        defer { unlink(file) }
        let (catalog, check) = await CatalogCheck.read(
            CatalogSources(SyncOptions(catalogs: [file])), registry: registry)
        guard check.conditions.isEmpty else {
            // The mistakes are those of the parameters: the file is gone.
            let texts = check.diagnostics.filter { $0.severity == .error }.map(\.summary)
            throw .provider(.parameters(draft.provider, texts))
        }
        return catalog
    }
}

extension Plugin {
    /// Whether a required parameter isn't there.
    fileprivate func lacks(_ parameters: [String: JSONValue]) -> Bool {
        manifest.parameters.required.contains { name in
            parameters[name] == nil && manifest.parameters.property(name)?.defaultValue == nil
        }
    }
}

extension ProviderAccess {
    /// Asks for all courses of a source's list.
    fileprivate func courses(of list: Course) async throws(ProviderError) -> ListingPages {
        let lister = courseLister(.init(maxDelete: .standard, acceptsAll: false))
        return try await lister.pages(of: list, parameters: pool.parameters(of: list.settings)).pages
    }
}
