import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
package import DownloadStore
import FileSystem
package import Foundation
package import Logging
import ProviderHost
import ProviderKit
import RunAccess
package import SyncFacts
import UserState
import YAMLSource

/// A provider's answer for one video, in the terms of the protocol. Contains secrets: print it redacted.
package struct ResolveAnswer: Sendable, PrintsRedacted {
    package var reference: VideoReference
    package var provider: String
    /// The complete URL: may contain secrets.
    package var url: String
    /// The kind of the media.
    package var kind: String
    /// A secret.
    package var tokenValue: String?
    /// `header Authorization`, `query token`, `cookie session`.
    package var tokenPlace: String?
    /// Other origins that the token is sent to.
    package var tokenOrigins: [String]
    /// Of several tokens, each with its secret, its place, and the origins or URLs that it is sent to.
    package var tokens: [(value: String, place: String, scopes: [String])]
    /// Of files that belong to the video's: kind and language, URL, and a secret of their own.
    package var tracks: [(name: String, url: String, token: String?)] = []
    /// The role of the media among several views; nil if it has none.
    package var role: String?
    /// The other views: role, URL, and a secret of their own.
    package var streams: [(role: String, url: String, token: String?)] = []
    /// By name.
    package var headers: [(name: String, value: String)]
    /// Nil if unknown.
    package var expiresAt: Date?
    /// In bytes.
    package var size: Int64?
    /// Lower-case hex; nil if unknown.
    package var sha256: String?
    /// Other checksums: `md5 0f3c…`.
    package var checksums: [String] = []
    /// The title that the provider gives it.
    package var title: String?
    /// Nil if unknown.
    package var mediaType: String?
    /// Nil if unknown.
    package var fileExtension: String?
    /// In seconds; nil if unknown.
    package var duration: Double?
    /// Whether each request needs a new answer.
    package var singleUse: Bool
    /// Whether the same URL may be returned after a refusal.
    package var extendable: Bool
    /// Language and URL of each.
    package var subtitles: [String]
    /// Title and URL of each.
    package var attachments: [String]
    /// Wall time.
    package var seconds: Double

    package init(reference: VideoReference, provider: String, url: String, kind: String = "file") {
        self.reference = reference
        self.provider = provider
        self.url = url
        self.kind = kind
        tokenOrigins = []
        tokens = []
        headers = []
        singleUse = false
        extendable = false
        subtitles = []
        attachments = []
        seconds = 0
    }

    init(_ resolution: Resolution, reference: VideoReference, provider: String, seconds: Double) {
        self.init(reference: reference, provider: provider, url: resolution.url, kind: resolution.kind.rawValue)
        if let token = resolution.token {
            tokenValue = token.value
            tokenPlace = "\(token.placement.rawValue) \(token.name)"
            tokenOrigins = token.origins
        }
        tokens = resolution.tokens.map { token in
            (token.value, "\(token.placement.rawValue) \(token.name)", token.urlPrefix.map { [$0] } ?? token.origins)
        }
        checksums =
            resolution.checksums.flatMap { PublishedChecksums($0) }?.list.map { "\($0.algorithm) \($0.hex)" } ?? []
        title = resolution.title
        tracks = resolution.tracks.map { track in
            (track.kind.rawValue + (track.lang.map { " \($0)" } ?? ""), track.url, track.token?.value)
        }
        role = resolution.role
        streams = resolution.streams.map { ($0.role, $0.url, $0.token?.value) }
        headers = resolution.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        expiresAt = resolution.expiresAt
        size = resolution.size
        sha256 = resolution.sha256
        mediaType = resolution.mediaType
        fileExtension = resolution.fileExtension
        duration = resolution.duration
        singleUse = resolution.singleUse
        extendable = resolution.extendable
        subtitles = resolution.subtitles.map { "\($0.lang) \($0.text.map { "(\($0.utf8.count) bytes)" } ?? $0.url)" }
        attachments = resolution.attachments.map { "\($0.title) \($0.url)" }
        self.seconds = seconds
    }

    /// This answer with everything replaced that may be a secret, so that it can be shown.
    package var withoutSecrets: ResolveAnswer {
        var shown = self
        var redactor = Redactor()
        // A token may be part of a path, too.
        let values = [tokenValue] + tokens.map(\.value) + tracks.map(\.token) + streams.map(\.token)
        for value in values.compactMap(\.self) { redactor.learn(value) }
        shown.url = redactor.redact(AddressRedactor.withoutSecrets(url))
        if tokenValue != nil { shown.tokenValue = Redactor.mark }
        shown.tokenOrigins = tokenOrigins.map { AddressRedactor.withoutSecrets($0) }
        shown.tokens = tokens.map { (Redactor.mark, $0.place, $0.scopes.map { AddressRedactor.withoutSecrets($0) }) }
        shown.tracks = tracks.map { ($0.name, redactor.redact(AddressRedactor.withoutSecrets($0.url)), nil) }
        shown.streams = streams.map { ($0.role, redactor.redact(AddressRedactor.withoutSecrets($0.url)), nil) }
        shown.headers = headers.map { (name: $0.name, value: Redactor.header($0.name, $0.value)) }
        shown.subtitles = subtitles.map { redactor.redact($0) }
        shown.attachments = attachments.map { redactor.redact($0) }
        return shown
    }
}

/// Asks the provider of each selected video like the first request of a sync: with the user's credentials.
package enum ResolveProbe {
    /// The result for one video.
    package struct Answer: Sendable {
        package var reference: VideoReference
        /// The provider that was asked.
        package var provider: String
        package var result: Result<ResolveAnswer, DownloadError>
    }

    /// The answers for the selected videos of a catalog, in its order. Starts and ends the plugins that it needs.
    package static func run(
        catalogs: [String], selection: Selection, user: String?, state: String?, plugins: [String], caFile: String?,
        helpers: CredentialHelpers = CredentialHelpers(), logger: Logger
    ) async throws(Refusal) -> [Answer] {
        let registry = ProviderCheck.registry(plugins)
        let sources = CatalogSources(catalogs, state: state, caFile: caFile)
        let (written, check) = await CatalogCheck.read(sources, registry: registry)
        guard check.conditions.isEmpty else {
            throw .catalog(.mistakes(check.diagnostics, check.conditions.first ?? .invalidCatalog))
        }
        let access = try ProviderAccess(
            StateLocation(user: user, state: state), registry: registry, caFile: caFile, helpers: helpers,
            logger: logger)
        defer { access.close() }
        let catalog: Catalog
        do throws(StoreError) { catalog = try written.addingStoredListings(access.store) } catch {
            throw Refusal(error)
        }
        let entries = CatalogEntries(catalog)
        let selection = try selection.settled { () throws(Refusal) in entries.slots.map { entries.reference($0) } }
        let chosen = entries.slots.filter { selection.contains(entries.reference($0), state: .waiting) }
        guard !chosen.isEmpty else {
            let all = entries.slots.map { entries.reference($0) }
            throw .selection(.unmatched(selection.selectors.map { UnmatchedSelector($0, among: all) }))
        }
        let pool = access.pool
        var answers: [Answer] = []
        for slot in chosen {
            let video = entries.video(slot)
            let request = ResolveRequest(
                user: access.user, now: Date(), settings: pool.settings,
                video: .init(id: video.writtenID, title: video.title, parameters: pool.parameters(of: video.settings)),
                course: .init(id: entries.course(slot).writtenID, title: entries.course(slot).title),
                chapter: entries.chapter(slot).map { .init(id: $0.writtenID, title: $0.title) },
                quality: video.settings.quality.map(\.description))
            let source = ListingSource(provider: video.provider.name, settings: video.settings)
            answers.append(await ask(pool, request, source, reference: entries.reference(slot)))
        }
        await pool.shutDown()
        return answers
    }

    private static func ask(
        _ pool: ProviderPool, _ request: ResolveRequest, _ source: ListingSource, reference: VideoReference
    ) async -> Answer {
        func answer(_ result: Result<ResolveAnswer, DownloadError>) -> Answer {
            Answer(reference: reference, provider: source.provider, result: result)
        }
        guard await pool.mayReachServer(of: source) else { return answer(.failure(.nearServer(of: source.provider))) }
        let started = Date()
        do throws(ProviderError) {
            let resolution = try await pool.resolve(request, provider: source.provider)
            return answer(
                .success(
                    ResolveAnswer(
                        resolution, reference: reference, provider: source.provider,
                        seconds: Date().timeIntervalSince(started))))
        } catch {
            return answer(.failure(DownloadError(error)))
        }
    }
}
