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

    /// Gives the main view a role if it has none beside others.
    mutating func nameMain() {
        if role == nil, !streams.isEmpty, !streams.contains(where: { $0.role == Self.main }) { role = Self.main }
    }

    private static let main = "combined"

    /// Leaves the views that the catalog asks for, the first of them as its own media, unless another one is that
    /// already.
    mutating func chooseStreams(by selection: StreamSelection, instead own: String?) {
        let whole = self
        chooseStreams(by: selection)
        let promoted = whole.streams.first { $0.role == own }
        guard let own, let first = role, own != first, promoted != nil || own == whole.role else { return }
        let offered = [whole.main] + whole.streams
        let others = ([first] + streams.map(\.role)).filter { $0 != own }
        self = whole
        if let promoted { become(promoted) }
        streams = others.prefix(DownloadKind.mostViews - 1).compactMap { role in offered.first { $0.role == role } }
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

    /// Leaves its own media, and as further views those that the catalog asks for and the video doesn't have yet.
    ///
    /// - Parameters:
    ///   - own: which view the video's own file is; nil if that isn't known: the main one.
    ///   - roles: the other views that are there.
    mutating func chooseStreams(by selection: StreamSelection, besides own: String?, _ roles: Set<String>) {
        // A main view without a word for it is the file that is there.
        let media = role == nil ? [] : [main]
        let offered = media + streams.sorted { $0.role < $1.role }
        var wanted = media
        switch selection {
        case .main: break
        case .all: wanted = offered
        case .roles(let roles):
            let found = roles.compactMap { role in offered.first { $0.role == role } }
            if !found.isEmpty { wanted = found }
        }
        let file = own ?? role
        let missing = wanted.filter { $0.role != file && !roles.contains($0.role) }
        streams = Array(missing.prefix(DownloadKind.mostViews - 1))
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
