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
    private static func course(_ draft: GeneratedCatalog, _ registry: PluginRegistry) async throws(Refusal) -> Course {
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

/// The text of a catalog with one course.
struct GeneratedCatalog {
    let provider: String
    let parameters: [String: JSONValue]
    var id: String
    var title: String?

    init(provider: String, parameters: [String: JSONValue], id: String) {
        self.provider = provider
        self.parameters = parameters
        self.id = id
    }

    /// With `discover: true`.
    func text() -> String { head + "    discover: true\n" }

    /// With all videos of a listing.
    func text(expanding listing: CourseListing) -> String {
        var text = head
        if let cover = listing.cover { text += "    cover: \(YAMLScalar.text(cover))\n" }
        let groups = Dictionary(grouping: listing.videos) { $0.chapter ?? -1 }
        if let direct = groups[-1] { text += "    videos:\n" + direct.map { video($0, "      ") }.joined() }
        if !listing.chapters.isEmpty { text += "    chapters:\n" }
        for (index, chapter) in listing.chapters.enumerated() {
            text += "      - id: \(YAMLScalar.text(chapter.writtenID))\n"
            if let title = chapter.title { text += "        title: \(YAMLScalar.text(title))\n" }
            if let cover = chapter.cover { text += "        cover: \(YAMLScalar.text(cover))\n" }
            if let season = chapter.season { text += "        season: \(season)\n" }
            let videos = groups[index] ?? []
            text += videos.isEmpty ? "        videos: []\n" : "        videos:\n"
            text += videos.map { video($0, "          ") }.joined()
        }
        return text
    }

    private var head: String {
        var text = "version: 1\ncourses:\n  - id: \(YAMLScalar.text(id))\n"
        if let title { text += "    title: \(YAMLScalar.text(title))\n" }
        text += "    provider: \(YAMLScalar.text(provider))\n"
        if !parameters.isEmpty {
            text += "    parameters:\n"
            for (key, value) in parameters.sorted(by: { $0.key < $1.key }) {
                text += "      \(YAMLScalar.text(key)): \(Self.flow(value))\n"
            }
        }
        return text
    }

    private func video(_ video: CourseListing.Video, _ indent: String) -> String {
        var lines = ["id: \(YAMLScalar.text(video.writtenID))"]
        if let title = video.title { lines.append("title: \(YAMLScalar.text(title))") }
        if let date = video.date { lines.append("date: \(YAMLScalar.quoted(date))") }
        if let episode = video.episode { lines.append("episode: \(episode)") }
        if let text = video.summary { lines.append("description: \(YAMLScalar.text(text))") }
        if let cover = video.cover { lines.append("cover: \(YAMLScalar.text(cover))") }
        if let size = video.size { lines.append("size: \(size)") }
        if let sha256 = video.sha256 { lines.append("sha256: \(YAMLScalar.quoted(sha256.hex))") }
        if let checksums = video.checksums {
            let list = checksums.list.map { "\($0.algorithm): \(YAMLScalar.quoted($0.hex))" }
            lines.append("checksums: {\(list.joined(separator: ", "))}")
        }
        if !video.subtitleFiles.isEmpty {
            let files = video.subtitleFiles.map {
                "{lang: \(YAMLScalar.quoted($0.language)), url: \(YAMLScalar.quoted($0.url))}"
            }
            lines.append("subtitle_files: [\(files.joined(separator: ", "))]")
        }
        if !video.attachments.isEmpty {
            let files = video.attachments.map {
                "{title: \(YAMLScalar.quoted($0.title)), url: \(YAMLScalar.quoted($0.url))}"
            }
            lines.append("attachments: [\(files.joined(separator: ", "))]")
        }
        if !video.parameters.isEmpty {
            let node = YAMLNode(
                .mapping(YAMLMapping(video.parameters)), at: SourceLocation(file: "", line: 0, column: 0))
            let json = node.canonicalJSON
            lines.append("parameters: \(YAMLScalar.escaped(json))")
        }
        return indent + "- " + lines.joined(separator: "\n\(indent)  ") + "\n"
    }

    /// JSON is YAML.
    private static func flow(_ value: JSONValue) -> String {
        if case .string(let text) = value { return YAMLScalar.text(text) }
        return (try? JSONEncoder().encode(value)).map { YAMLScalar.escaped(String(decoding: $0, as: UTF8.self)) }
            ?? "null"
    }
}
