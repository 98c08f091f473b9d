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

/// A catalog of one course that a provider lists, as text.
package enum CatalogFromProvider {
    /// A catalog's text, and the videos of other providers that it leaves out.
    package typealias Written = (text: String, refused: [SyncWarning.RefusedHandOver])

    /// Asks the provider, and writes the catalog. `expands`: with all of its videos, instead of `discover: true`.
    ///
    /// - Parameters:
    ///   - texts: The parameters, as given on a command line.
    ///   - id: The course's id; nil makes one of its title.
    package static func text(
        provider name: String, parameters texts: [String: String], id: String?, expands: Bool, user: String?,
        state: String?, plugins: [String], caFile: String?, helpers: CredentialHelpers = CredentialHelpers(),
        logger: Logger
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
        let draft = GeneratedCatalog(provider: plugin.name, parameters: parameters, id: id ?? "course")
        let course = try await course(draft, registry)
        let access = try ProviderAccess(
            user: user, state: state, registry: registry, caFile: caFile, helpers: helpers, logger: logger)
        defer { access.store.close() }
        let pages: ListingPages
        do throws(ProviderError) {
            pages = try await access.pages(of: course)
        } catch {
            await access.pool.shutDown()
            return .failure(DownloadError(error))
        }
        await access.pool.shutDown()
        let listing = pages.listing
        var catalog = draft
        catalog.title = listing.title
        catalog.id = id ?? FirstCatalog.identifier(listing.title ?? plugin.name)
        return .success((expands ? catalog.text(expanding: listing) : catalog.text(), pages.handOver.refused))
    }

    /// The course of the catalog, read and checked as every catalog is.
    static func course(_ draft: GeneratedCatalog, _ registry: PluginRegistry) async throws(Refusal) -> Course {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).yaml").path
        do throws(Refusal) {
            try FirstFiles.write([.init(path: file, text: draft.text())])
        } catch { throw error }
        defer { unlink(file) }
        let (catalog, check) = await CatalogCheck.read(
            CatalogSources(SyncOptions(catalogs: [file])), registry: registry)
        guard check.conditions.isEmpty, let course = catalog.courses.first else {
            // The mistakes are those of the parameters: the file is gone.
            let texts = check.diagnostics.filter { $0.severity == .error }.map(\.summary)
            throw .provider(.parameters(draft.provider, texts))
        }
        return course
    }
}
