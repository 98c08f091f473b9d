import ProviderHTTP
import ProviderKit

/// The media of a video, as the API tells them to programs that show no pages.
///
/// Related: `student_view_data` in xblocks_contrib/video/video.py of openedx/xblocks-contrib
struct OpenEdXVideo: Sendable {
    /// A file, or a playlist.
    struct Media: Sendable {
        var address: WebAddress
        var kind = Resolution.Kind.file
        var size: Int64?
    }

    /// The heights by which the app of Open edX offers these encodings; the API tells none.
    ///
    /// Related: VideoSettings.kt and Block.kt in core/domain/model of openedx/openedx-app-android
    private static let heights = [("desktop_mp4", 720), ("mobile_high", 540), ("mobile_low", 360)]
    /// A demonstration on YouTube: every video block has it until its author writes something else.
    private static let demonstration = "3_yD_cEKoCk"

    /// Whether the site gives it to browsers only.
    private(set) var isForBrowsers = false
    private(set) var duration: Double?
    private(set) var subtitles: [Resolution.Subtitle] = []
    private(set) var files: [Rendition<Media>] = []
    private(set) var playlist: Media?
    /// The provider that has it, if it is on another host.
    private(set) var provider: HandOver?

    /// A file that a page links to.
    init(file: WebAddress) { files = [Rendition(media: Media(address: file))] }

    /// A video on another host that a page links to.
    init(_ provider: HandOver) { self.provider = provider }

    /// - Parameters:
    ///   - data: `student_view_data` of a video block.
    ///   - root: the site: an author may have typed a path of it.
    init(_ data: JSONValue?, at root: WebAddress) {
        isForBrowsers = data?["only_on_web"] == .bool(true)
        duration = data?["duration"]?.number.flatMap { $0 > 0 && $0 < 1e9 ? $0 : nil }
        subtitles = (data?["transcripts"]?.object ?? [:]).sorted { $0.key < $1.key }.compactMap { lang, url in
            Self.address(url, at: root).map { .init(lang: lang.replacing("_", with: "-"), url: $0.text) }
        }
        let encodings = data?["encoded_videos"]
        readEncodings(encodings, at: root)
        if files.isEmpty, playlist == nil { readSources(data?["all_sources"]?.list ?? [], encodings, at: root) }
    }

    private mutating func readEncodings(_ encodings: JSONValue?, at root: WebAddress) {
        func file(_ name: String, _ height: Int?) -> Rendition<Media>? {
            guard let address = Self.address(encodings?[name]?["url"], at: root) else { return nil }
            // 0 is unknown.
            let size = encodings?[name]?["file_size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil }
            return Rendition(
                media: Media(address: address, size: size), height: height,
                bitrate: size.flatMap { size in duration.map { Double(size) / 125 / $0 } })
        }
        files = Self.heights.compactMap { name, height in file(name, height) }
        if files.isEmpty, let webm = file("desktop_webm", nil) { files = [webm] }
        playlist = Self.address(encodings?["hls"]?["url"], at: root).map { Media(address: $0, kind: .hls) }
    }

    /// What the author typed: the same video in several formats, or where it is on another host.
    private mutating func readSources(_ sources: [JSONValue], _ encodings: JSONValue?, at root: WebAddress) {
        let typed = ([encodings?["fallback"]?["url"]] + sources).compactMap { Self.address($0, at: root) }
        let own = typed.filter { HandOver($0) == nil }
        let isPlaylist = { (address: WebAddress) in address.path.lowercased().hasSuffix(".m3u8") }
        if let file = own.first(where: { !isPlaylist($0) }) { files = [Rendition(media: Media(address: file))] }
        playlist = own.first(where: isPlaylist).map { Media(address: $0, kind: .hls) }
        guard own.isEmpty else { return }
        let page = Self.address(encodings?["youtube"]?["url"], at: root)
        let pages = typed + [page].compactMap(\.self).filter { !$0.text.contains(Self.demonstration) }
        provider = pages.lazy.compactMap { HandOver($0) }.first
    }

    /// Its media for these qualities: a file. Where the files are for phones only, the playlist has the better ones.
    func media(_ quality: [String]) -> Media? {
        let tallest = files.compactMap(\.height).max() ?? 0
        if let playlist, (1..<720).contains(tallest), Self.isAbove(tallest, quality.first ?? "best") {
            return playlist
        }
        return RenditionChoice.of(files, quality: quality) ?? playlist
    }

    private static func isAbove(_ height: Int, _ quality: String) -> Bool {
        quality == "best" || quality.hasSuffix("p") && Int(quality.dropLast()).map { $0 > height } == true
    }

    private static func address(_ value: JSONValue?, at root: WebAddress) -> WebAddress? {
        value?.string.flatMap { $0.isEmpty ? nil : root.resolving($0) }
    }
}
