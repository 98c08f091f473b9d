import CourseCatalog
import DownloadStore
import FilePlacement
import MediaTransfer
import ProviderKit

extension Resolution {
    /// Its main view alone.
    var withoutStreams: Resolution {
        var main = self
        main.streams = []
        return main
    }

    /// Leaves the views that the catalog asks for, the first of them as its own media.
    mutating func chooseStreams(by selection: StreamSelection) {
        switch selection {
        case .main: streams = []
        case .all: streams = Array(streams.prefix(DownloadKind.mostViews - 1))
        case .roles(let roles):
            let wanted = roles.filter { role in role == self.role || streams.contains { $0.role == role } }
            let others = wanted.dropFirst().prefix(DownloadKind.mostViews - 1)
            guard let first = wanted.first else { return streams = [] }
            let chosen = others.compactMap { role in
                streams.first { $0.role == role } ?? (role == self.role ? main : nil)
            }
            if first != self.role, let promoted = streams.first(where: { $0.role == first }) { become(promoted) }
            streams = chosen
        }
    }

    /// A view in the place of the media. The secrets that it takes from the media go where those go.
    func alone(_ stream: Stream) -> Resolution {
        var own = Resolution(
            url: stream.url, kind: stream.kind, token: stream.token, expiresAt: stream.expiresAt ?? expiresAt,
            headers: stream.headers, size: stream.size, sha256: stream.sha256, fileExtension: stream.fileExtension,
            mediaType: stream.mediaType, singleUse: singleUse, extendable: extendable, checksums: stream.checksums,
            tracks: stream.tracks, role: stream.role)
        if stream.token == nil { own.tokens = scopedTokens }
        if stream.headers.isEmpty { own.headers = headers(for: stream.url) }
        return own
    }

    /// The media as one of several views.
    private var main: Stream {
        Stream(
            role ?? "", url: url, kind: kind, token: token, headers: headers, expiresAt: expiresAt, size: size,
            sha256: sha256, checksums: checksums, fileExtension: fileExtension, mediaType: mediaType, tracks: tracks)
    }

    private mutating func become(_ stream: Stream) {
        var own = alone(stream)
        own.title = title
        own.duration = duration
        own.subtitles = subtitles
        own.attachments = attachments
        own.cover = cover
        own.credentials = credentials
        self = own
    }

    /// Its tokens, each with the origins that it is sent to.
    private var scopedTokens: [Token] {
        let origin = Origin(url: url)?.text
        return allTokens.map { scoped in
            var scoped = scoped
            let isForURL = token != nil || (scoped.urlPrefix == nil && scoped.origins.isEmpty)
            if isForURL, let origin, !scoped.origins.contains(origin) { scoped.origins.append(origin) }
            return scoped
        }
    }

    /// Those headers that a request for another URL has.
    func headers(for url: String) -> [String: String] {
        let trusted = ([self.url] + (token?.origins ?? [])).map { Origin(url: $0) }
        guard !trusted.contains(Origin(url: url)) else { return headers }
        return headers.filter { !HTTPField(name: $0.key, value: $0.value).isPrivateByName }
    }
}
