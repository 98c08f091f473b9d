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
        // Whatever their order in the answer: another one isn't another video.
        case .all: streams = Array(streams.sorted { $0.role < $1.role }.prefix(DownloadKind.mostViews - 1))
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

    /// A view in the place of the media. Without a token or headers of its own it has those of the resolution that it
    /// came with, which go where they went there.
    func alone(_ stream: Stream) -> Resolution {
        var base = stream.inherited ?? inherited ?? Inheritance(self)
        base.takesHeaders = stream.inherited?.takesHeaders ?? stream.headers.isEmpty
        var own = Resolution(
            url: stream.url, kind: stream.kind, token: stream.token, expiresAt: stream.expiresAt ?? expiresAt,
            headers: base.takesHeaders && stream.headers.isEmpty ? base.headers : stream.headers, size: stream.size,
            sha256: stream.sha256, fileExtension: stream.fileExtension, mediaType: stream.mediaType,
            singleUse: singleUse, extendable: extendable, checksums: stream.checksums, tracks: stream.tracks,
            role: stream.role)
        own.inherited = base
        return own
    }

    /// The media as one of several views.
    private var main: Stream {
        var stream = Stream(
            role ?? "", url: url, kind: kind, headers: headers, expiresAt: expiresAt, size: size, sha256: sha256,
            checksums: checksums, fileExtension: fileExtension, mediaType: mediaType, tracks: tracks)
        stream.inherited = Inheritance(self)
        stream.inherited?.takesHeaders = true
        return stream
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

    /// Those headers that a request for another URL has.
    func headers(for url: String) -> [String: String] {
        let trusted = ([self.url] + (token?.origins ?? [])).map { Origin(url: $0) }
        guard !trusted.contains(Origin(url: url)) else { return headers }
        return headers.filter { !HTTPField(name: $0.key, value: $0.value).isPrivateByName }
    }
}
