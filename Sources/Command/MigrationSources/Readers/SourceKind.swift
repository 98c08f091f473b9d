/// The kinds of sources: one reader each.
package enum SourceKind: String, Sendable, CaseIterable {
    case manifest
    case ytDlp = "yt-dlp"
    case galleryDL = "gallery-dl"
    case aria2
    case wget
    case curl
    case wqdownload
    case fkdownloader
    case lyfdownloader
    case baijiayun
    case hlscatalog

    package var reader: any SourceReader.Type {
        switch self {
        case .manifest: ManifestReader.self
        case .ytDlp: YtDlpReader.self
        case .galleryDL: GalleryDLReader.self
        case .aria2: Aria2Reader.self
        case .wget: WgetReader.self
        case .curl: CurlReader.self
        case .wqdownload: WQDownloadReader.self
        case .fkdownloader: FKDownloaderReader.self
        case .lyfdownloader: LYFDownloaderReader.self
        case .baijiayun: BaiJiaYunReader.self
        case .hlscatalog: HLSCatalogReader.self
        }
    }
}
