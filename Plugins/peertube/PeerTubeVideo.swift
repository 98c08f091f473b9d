import ProviderHTTP
import ProviderKit

/// What a video of the API says of its files.
struct PeerTubeVideo {
    /// A file, or the playlist of all.
    struct Media {
        var address: WebAddress
        var kind = Resolution.Kind.file
        var size: Int64?
    }

    private let video: JSONValue
    private let instance: PeerTubeInstance

    init(_ video: JSONValue, at instance: PeerTubeInstance) {
        self.video = video
        self.instance = instance
    }

    var id: String { video["uuid"]?.string ?? "" }
    /// Names are plain text.
    var title: String? { video["name"]?.string }
    var duration: Double? { video["duration"]?.number.flatMap { $0 > 0 ? $0 : nil } }
    var cover: String? { (instance.file(video["previewPath"]) ?? instance.file(video["thumbnailPath"]))?.text }

    /// Internal, private, and with a password: its files want a token.
    var isProtected: Bool { [3, 4, 5].contains(video["privacy"]?["id"]?.wholeNumber) }

    /// Why it can't be had yet; nil if it can.
    var delay: String? {
        let state = video["state"]?["id"]?.wholeNumber ?? 1
        // A live stream that is on has a playlist.
        guard state != 1 else { return nil }
        let label = video["state"]?["label"]?.string.map { HTMLStripper.text(of: $0, bound: 100) }
        return label ?? "state \(state)"
    }

    /// Its file for these qualities: one with picture and sound, else the playlist, from which coursefetch chooses.
    func media(_ quality: [String]) -> Media? {
        let files = (video["files"]?.list ?? []).compactMap(rendition)
        if let file = RenditionChoice.of(files, quality: quality) { return file }
        return (video["streamingPlaylists"]?.list ?? []).lazy.compactMap { playlist in
            instance.file(playlist["playlistUrl"]).map { Media(address: $0, kind: .hls) }
        }.first
    }

    private func rendition(_ file: JSONValue) -> Rendition<Media>? {
        guard let address = instance.file(file["fileUrl"]), file["hasAudio"] != .bool(false) || !hasSplitSound else {
            return nil
        }
        let height = file["resolution"]?["id"]?.wholeNumber.flatMap { Int(exactly: $0) } ?? 0
        let size = file["size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil }
        return Rendition(
            media: Media(address: address, size: size), height: height,
            bitrate: size.flatMap { size in duration.map { Double(size) / 125 / $0 } }, hasPicture: height > 0)
    }

    /// Whether some file has sound and others don't.
    private var hasSplitSound: Bool { (video["files"]?.list ?? []).contains { $0["hasAudio"] == .bool(true) } }

    func listed() -> Listing.Video {
        let published = (video["publishedAt"] ?? video["createdAt"])?.string.flatMap(WebDate.date)
        return Listing.Video(
            id: id, title: title, publishedAt: published, duration: duration, cover: cover,
            availableAt: video["scheduledUpdate"]?["updateAt"]?.string.flatMap(WebDate.date))
    }
}
