import Crypto
import MediaTransfer
package import NetworkAddresses

/// A stream whose playlists have been read, with the selected renditions.
package struct StreamSource: Sendable, RedactedInPrint {
    /// A wanted playlist of subtitles.
    package struct Subtitles: Sendable, Equatable, RedactedInPrint {
        /// From the playlist; may be missing.
        package var language: String?
        /// For messages.
        package var name: String
        /// The URL of its playlist.
        package var url: String
        /// The network of the playlist that names it.
        package var scope = NetworkScope.world
        /// Its segments, if no playlist of its own names them: a presentation does.
        package var presented: Result<StreamPlan, Problem>?
    }

    /// The reason why a stream can't be downloaded.
    package enum Problem: Error, Sendable, Equatable {
        case failure(StreamFailure)
        case playlist(PlaylistError)
        case presentation(PresentationError)
        case refusal(StreamRefusal)
    }

    /// Where the playlist of a track can be read again.
    struct Place: Sendable, RedactedInPrint {
        let url: String
        let identity: String
        /// Variables of its master playlist.
        let imports: [String: String]
        /// The network of the playlist that names it; nil if the provider does.
        let scope: NetworkScope?
    }

    /// The picture with its sound, or the sound alone; then separate sound, if there is any.
    package var tracks: [StreamPlan]
    /// In the order of ``tracks``; empty for a presentation.
    private(set) var places: [Place] = []
    /// Distinguishes streams, and renditions of one.
    package var digest: [UInt8]
    /// The playing time in seconds.
    package var seconds: Double
    /// The language of separate sound.
    package var audioLanguage: String?
    /// The codecs of the picture in the master playlist; nil without any.
    package var codecs: [String]?
    package var subtitles: [Subtitles] = []
    /// Whether none has the wanted quality, so that another one was selected.
    package var isFallback = false

    /// A stream that was recorded.
    ///
    /// - Parameter last: as its playlists were in the end; nil if they are gone.
    package init(recorded tracks: [StreamPlan], like last: StreamSource?) {
        (self.tracks, digest) = (tracks, [])
        seconds = tracks.map(\.seconds).max() ?? 0
        subtitles = last?.subtitles ?? []
    }

    init(tracks: [StreamPlan], digest: [UInt8], seconds: Double, subtitles: [Subtitles] = []) {
        (self.tracks, self.digest, self.seconds, self.subtitles) = (tracks, digest, seconds, subtitles)
    }

    /// Downloads the playlist at `url` and, if that is a master playlist, those of the renditions selected by
    /// `preference`.
    ///
    /// - Parameters:
    ///   - textLimit: of each playlist, in bytes.
    ///   - addressLimit: of all addresses together, in bytes.
    package static func load(
        _ url: String, preference: StreamPreference, access: StreamAccess, textLimit: Int = PlaylistLimit.bytes,
        addressLimit: Int = StreamPlan.addressLimit
    ) async -> Result<StreamSource, Problem> {
        do throws(Problem) {
            let first = try await playlist(url, access, textLimit: textLimit)
            switch first.playlist {
            case .media(let playlist):
                let plan = try plan(playlist, first, preference, addressLimit: addressLimit)
                var source = StreamSource(tracks: [plan], digest: plan.digest, seconds: plan.seconds)
                source.places = [Place(url: url, identity: "", imports: [:], scope: nil)]
                return .success(source)
            case .master(let master):
                return .success(
                    try await load(master, from: first, preference: preference, access.confined(to: first.scope)))
            }
        } catch {
            return .failure(error)
        }
    }

    private static func load(
        _ master: MasterPlaylist, from answer: Answer, preference: StreamPreference, _ access: StreamAccess
    ) async throws(Problem) -> StreamSource {
        let (url, scope) = (answer.url, answer.scope)
        do throws(StreamRefusal) { try master.check() } catch { throw .refusal(error) }
        let choice = master.choose(preference)
        var renditions: [(uri: String, identity: String)] = []
        if let variant = choice.variant { renditions.append((variant.uri, choice.variantIdentity)) }
        if let audio = choice.audio, let uri = audio.uri {
            renditions.append((uri, StreamChoice.identity(of: audio)))
        }
        guard !renditions.isEmpty else { throw .refusal(.empty) }
        var tracks: [StreamPlan] = []
        var places: [Place] = []
        var digest = SHA256()
        for rendition in renditions {
            let taken = tracks.reduce(0) { $0 + $1.addressBytes }
            let place = Place(
                url: try resolved(rendition.uri, url), identity: rendition.identity, imports: master.variables,
                scope: scope)
            let plan = try await read(place, access, preference, addressLimit: StreamPlan.addressLimit - taken)
            digest.update(data: plan.digest)
            tracks.append(plan)
            places.append(place)
        }
        var source = StreamSource(
            tracks: tracks, digest: Array(digest.finalize()), seconds: tracks.map(\.seconds).max() ?? 0)
        source.places = places
        source.audioLanguage = choice.audio?.language
        source.isFallback = choice.isFallback
        if let codecs = choice.variant?.codecs, !codecs.isEmpty { source.codecs = codecs }
        for rendition in choice.subtitles {
            guard let uri = rendition.uri else { continue }
            source.subtitles.append(
                Subtitles(language: rendition.language, name: rendition.name, url: try resolved(uri, url), scope: scope)
            )
        }
        return source
    }

    /// Tells the chosen renditions apart.
    package var renditions: [String] { places.map(\.identity) }

    /// Whether a playlist of its tracks may still grow.
    package var isLive: Bool { tracks.contains(where: \.isLive) }

    /// Reads the playlist of a track again, which may still grow.
    package func reload(_ track: Int, access: StreamAccess) async -> Result<StreamPlan, Problem> {
        let (place, preference) = (places[track], StreamPreference(allowsLive: true))
        let access = place.scope.map { access.confined(to: $0) } ?? access
        do throws(Problem) {
            return .success(
                try await Self.read(place, access, preference, addressLimit: StreamPlan.addressLimit))
        } catch { return .failure(error) }
    }

    private static func read(
        _ place: Place, _ access: StreamAccess, _ preference: StreamPreference, addressLimit: Int
    ) async throws(Problem) -> StreamPlan {
        let answer = try await playlist(place.url, access, imports: place.imports)
        guard case .media(let media) = answer.playlist else {
            throw .refusal(.unsupported(reason: "a master playlist names another master playlist"))
        }
        return try plan(media, answer, preference, identity: place.identity, addressLimit: addressLimit)
    }

    static func resolved(_ reference: String, _ base: String) throws(Problem) -> String {
        guard let base = ParsedURL(base), let url = URLReference.resolve(reference, against: base) else {
            throw .refusal(.unsupported(reason: "the playlist names an address that is neither http nor https"))
        }
        return url
    }

    private static func plan(
        _ playlist: MediaPlaylist, _ answer: Answer, _ preference: StreamPreference, identity: String = "",
        addressLimit: Int
    ) throws(Problem) -> StreamPlan {
        do throws(StreamRefusal) {
            return try StreamPlan.make(
                playlist, url: answer.url, identity: identity, scope: answer.scope, addressLimit: addressLimit,
                allowsLive: preference.allowsLive)
        } catch { throw .refusal(error) }
    }

    /// A playlist and its source.
    private struct Answer: Sendable, RedactedInPrint {
        var playlist: Playlist
        var url: String
        var scope: NetworkScope
    }

    /// Downloads and reads one playlist.
    private static func playlist(
        _ url: String, _ access: StreamAccess, imports: [String: String] = [:], textLimit: Int = PlaylistLimit.bytes
    ) async throws(Problem) -> Answer {
        let answer = await access.fetch(url, range: nil, part: .playlist, maxSize: Int64(textLimit))
        let bytes: [UInt8]
        switch answer.result {
        case .success(let body): bytes = body
        case .failure(let failure): throw .failure(failure)
        }
        // A page or another text in its place: the URL has expired. A byte order mark may come first.
        if bytes.prefix(64).firstRange(of: "#EXTM3U".utf8) == nil {
            access.failed(url)
            throw .failure(.notMedia(.playlist))
        }
        let base = answer.url ?? url
        do throws(PlaylistError) {
            var playlist = try Playlist.parse(bytes, url: base, imports: imports)
            if bytes.last != UInt8(ascii: "\n") { playlist.dropUnfinishedLine() }
            if playlist.isWhole(isFramed: answer.isFramed) {
                return Answer(playlist: playlist, url: base, scope: answer.scope)
            }
        } catch {
            // A mistake in a truncated playlist says nothing about the whole.
            if answer.isFramed { throw .playlist(error) }
        }
        access.failed(url)
        throw .failure(.transfer(.lengthUnknown(framed: false), .playlist))
    }
}
