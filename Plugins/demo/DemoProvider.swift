import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Serves a few videos from the folder `media` on a loopback port, like real hosts: with signed links that live for
/// seconds and need a token, on connections that sometimes break.
@main struct DemoProvider: Provider {
    /// The lifetime of a link to a video.
    static let lifetime = 2.0
    /// The lifetime of a link to a cover, subtitle or attachment.
    static let sidecarLifetime = 600.0

    private static let server = Result { try MediaServer(library: MediaLibrary(folder: "media")) }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        guard let name = request.video.parameters["file"]?.string else {
            throw ProviderError(.invalidParameters, "file is missing", parameter: "file")
        }
        let server: MediaServer
        do {
            server = try Self.server.get()
        } catch {
            throw ProviderError(.unavailable, "can't serve on the loopback interface: \(error)")
        }
        let library = server.library
        let stream = library["\(name).m3u8"]
        guard let video = library["\(name).mp4"] ?? stream else {
            throw ProviderError(
                .notFound, "there is no video '\(name)'; there are \(library.videos.joined(separator: ", "))")
        }
        let expires = request.now.addingTimeInterval(stream == nil ? Self.lifetime : Self.sidecarLifetime)
        let sidecarExpires = request.now.addingTimeInterval(Self.sidecarLifetime)
        func sidecar(_ suffix: String) -> String? {
            library[name + suffix].map { server.link(to: $0.name, until: sidecarExpires) }
        }
        return Resolution(
            url: server.link(to: video.name, until: expires), kind: stream == nil ? .file : .hls,
            token: .bearer(server.token), expiresAt: expires,
            size: stream == nil ? Int64(video.bytes.count) : nil, mediaType: stream == nil ? video.mediaType : nil,
            subtitles: sidecar(".en.vtt").map { [.init(lang: "en", url: $0)] } ?? [],
            attachments: sidecar(".pdf").map { [.init(title: "Notes", url: $0)] } ?? [], cover: sidecar(".jpg"))
    }

    /// Lists all videos. They never change.
    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        if request.known == Self.version { return Listing(unchanged: true) }
        let library: MediaLibrary
        do {
            library = try MediaLibrary(folder: "media")
        } catch {
            throw ProviderError(.unavailable, "can't read the folder media: \(error)")
        }
        return Listing(
            title: "Everything",
            videos: library.videos.map { name in
                Listing.Video(id: name, title: "The \(name)", parameters: ["file": .string(name)])
            }, known: Self.version)
    }

    /// Of its videos, as the listing's validator.
    private static let version = "1"
}
