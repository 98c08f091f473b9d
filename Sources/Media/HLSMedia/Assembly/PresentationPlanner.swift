import Crypto
import MediaTransfer
package import NetworkAddresses

/// Chooses among the representations of a presentation, and makes the plans of a stream of them.
package struct PresentationPlanner: RedactedInPrint {
    /// The chosen representations of the picture, or of separate sound, one for each period.
    private struct Track {
        var identities: [String] = []
        var representations: [Representation] = []
    }

    /// Of the addresses of a text, in bytes.
    private static let textLimit = 4 << 20

    private let presentation: Presentation
    private var tracks: [Track] = []
    private var first: StreamChoice?
    private var isFallback = false

    /// Throws the reason why the presentation can't be downloaded, the most permanent one first.
    package init(
        _ presentation: Presentation, preference: StreamPreference
    ) throws(StreamSource.Problem) {
        self.presentation = presentation
        guard !presentation.isDynamic else { throw .refusal(.notReady) }
        guard !presentation.periods.isEmpty else { throw .refusal(.empty) }
        for period in presentation.periods { try take(period, preference) }
        for representation in tracks.flatMap(\.representations) {
            do throws(StreamRefusal) { _ = try SegmentKeys(representation.keys) } catch { throw .refusal(error) }
        }
    }

    private mutating func take(
        _ period: PresentationPeriod, _ preference: StreamPreference
    ) throws(StreamSource.Problem) {
        let master: MasterPlaylist
        do throws(PresentationError) { master = try PeriodMaster(period).playlist() } catch {
            throw .presentation(error)
        }
        let choice = master.choose(preference)
        var parts: [(uri: String, identity: String)] = []
        if let variant = choice.variant { parts.append((variant.uri, choice.variantIdentity)) }
        if let audio = choice.audio, let uri = audio.uri { parts.append((uri, StreamChoice.identity(of: audio))) }
        guard !parts.isEmpty else { throw .refusal(.empty) }
        if let first {
            guard (first.variant == nil) == (choice.variant == nil), (first.audio == nil) == (choice.audio == nil)
            else {
                throw .presentation(PresentationError(.unlikePeriods, line: period.line))
            }
        } else {
            first = choice
            tracks = parts.map { _ in Track() }
        }
        isFallback = isFallback || choice.isFallback
        for (number, part) in parts.enumerated() {
            guard let representation = period[part.uri] else { throw .refusal(.empty) }
            tracks[number].identities.append(part.identity)
            tracks[number].representations.append(representation)
        }
    }

    /// The indexes within files that have to be read first, each once.
    package var indexes: [Representation.Index] {
        var known: [Representation.Index] = []
        var found: Set<String> = []
        for index in tracks.flatMap(\.representations).compactMap(\.index)
        where found.insert("\(index.range) \(index.uri)").inserted {
            known.append(index)
        }
        return known
    }

    /// The stream of the chosen representations.
    ///
    /// - Parameters:
    ///   - url: the final URL of the presentation, after redirects.
    ///   - scope: the network of the URL.
    ///   - indexes: what ``indexes`` asks for, in order.
    package func source(
        url: String, scope: NetworkScope = .world, indexes: [SegmentIndex] = []
    ) throws(StreamSource.Problem) -> StreamSource {
        let wanted = self.indexes
        func index(_ representation: Representation) -> SegmentIndex? {
            guard let own = representation.index,
                let place = wanted.firstIndex(where: { $0.uri == own.uri && $0.range == own.range })
            else { return nil }
            return indexes.indices.contains(place) ? indexes[place] : nil
        }
        var plans: [StreamPlan] = []
        var digest = SHA256()
        for track in tracks {
            let limit = StreamPlan.addressLimit - plans.reduce(0) { $0 + $1.addressBytes }
            var joined = PresentationTrack(periods: presentation.periods.count, addressLimit: limit)
            do throws(PresentationError) {
                for (number, representation) in track.representations.enumerated() {
                    try joined.add(
                        representation, of: presentation.periods[number], index: index(representation),
                        isLast: number == track.representations.count - 1)
                }
            } catch { throw .presentation(error) }
            let plan = try Self.plan(
                joined.playlist, url: url, identity: track.identities.joined(separator: "\n"), scope: scope,
                limit: limit)
            digest.update(data: plan.digest)
            plans.append(plan)
        }
        var source = StreamSource(
            tracks: plans, digest: Array(digest.finalize()), seconds: plans.map(\.seconds).max() ?? 0)
        source.audioLanguage = first?.audio?.language
        source.isFallback = isFallback
        if let codecs = first?.variant?.codecs, !codecs.isEmpty { source.codecs = codecs }
        for rendition in first?.subtitles ?? [] {
            guard let text = rendition.uri.flatMap({ presentation.periods[0][$0] }) else { continue }
            source.subtitles.append(subtitles(text, rendition, url: url, scope: scope))
        }
        return source
    }

    private func subtitles(
        _ text: Representation, _ rendition: Rendition, url: String, scope: NetworkScope
    ) -> StreamSource.Subtitles {
        let name = rendition.name.isEmpty ? rendition.language ?? "" : rendition.name
        var subtitles = StreamSource.Subtitles(language: rendition.language, name: name, url: url, scope: scope)
        do throws(StreamSource.Problem) {
            guard presentation.periods.count == 1 else {
                throw .refusal(.unsupported(reason: "the presentation has several periods"))
            }
            guard text.mediaType == "text/vtt" else {
                throw .refusal(.unsupported(reason: "the text isn't WebVTT in files of its own"))
            }
            var joined = PresentationTrack(periods: 1, addressLimit: Self.textLimit)
            do throws(PresentationError) { try joined.add(text, of: presentation.periods[0]) } catch {
                throw .presentation(error)
            }
            subtitles.presented = .success(
                try Self.plan(
                    joined.playlist, url: url, identity: "", scope: scope, limit: Self.textLimit))
        } catch { subtitles.presented = .failure(error) }
        return subtitles
    }

    private static func plan(
        _ playlist: MediaPlaylist, url: String, identity: String, scope: NetworkScope, limit: Int
    ) throws(StreamSource.Problem) -> StreamPlan {
        do throws(StreamRefusal) {
            return try StreamPlan.make(playlist, url: url, identity: identity, scope: scope, addressLimit: limit)
        } catch { throw .refusal(error) }
    }
}

extension PresentationPeriod {
    /// The representation that a master playlist's URI names.
    fileprivate subscript(_ uri: String) -> Representation? {
        Int(uri).flatMap { representations.indices.contains($0) ? representations[$0] : nil }
    }
}
