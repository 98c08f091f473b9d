/// Media types and the extensions that players use for them.
enum MediaTypes {
    /// The extension for a media type such as `video/mp4; codecs=…`; nil for an unspecific one
    /// (`application/octet-stream`) or one that doesn't fit the purpose.
    static func fileExtension(of type: String, for purpose: FileExtension.Purpose) -> String? {
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        let bare = String(decoding: name.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self).lowercased()
        switch purpose {
        case .video: return video[bare]
        case .cover: return image[bare]
        case .attachment: return document[bare] ?? video[bare] ?? image[bare]
        }
    }

    /// Whether players know the extension.
    static func isMedia(_ fileExtension: String) -> Bool { mediaExtensions.contains(fileExtension) }

    /// Whether viewers know the extension. Not SVG: it can contain scripts, and a cover needs none.
    static func isImage(_ fileExtension: String) -> Bool { imageExtensions.contains(fileExtension) }

    /// Whether it is that of a file which lies beside videos: a document, an archive, a picture, subtitles, source
    /// text.
    static func isDocument(_ fileExtension: String) -> Bool { documentExtensions.contains(fileExtension) }

    /// Whether a file with this extension is no text: a document of pages, an archive, a picture, picture or sound.
    static func isBinary(_ fileExtension: String) -> Bool {
        binaryExtensions.contains(fileExtension) || isMedia(fileExtension)
    }

    private static let video: [String: String] = [
        "video/mp4": "mp4", "video/x-m4v": "m4v", "video/webm": "webm", "video/ogg": "ogv", "video/quicktime": "mov",
        "video/x-matroska": "mkv", "video/matroska": "mkv", "video/mp2t": "ts", "video/mpeg": "mpg",
        "video/x-flv": "flv",
        "video/x-msvideo": "avi", "video/avi": "avi", "video/x-ms-wmv": "wmv", "video/3gpp": "3gp",
        "video/3gpp2": "3g2",
        "video/iso.segment": "mp4", "application/mp4": "mp4",
        "audio/mp4": "m4a", "audio/x-m4a": "m4a", "audio/m4a": "m4a", "audio/mpeg": "mp3", "audio/mp3": "mp3",
        "audio/aac": "aac", "audio/aacp": "aac", "audio/ogg": "ogg", "application/ogg": "ogg", "audio/opus": "opus",
        "audio/webm": "weba", "audio/flac": "flac", "audio/x-flac": "flac", "audio/wav": "wav", "audio/x-wav": "wav",
        "audio/vnd.wave": "wav", "audio/x-matroska": "mka", "audio/x-mp3": "mp3", "audio/x-mpeg": "mp3",
        "audio/mpeg3": "mp3", "audio/x-aac": "aac", "audio/x-m4b": "m4b", "audio/vorbis": "ogg",
    ]

    private static let image: [String: String] = [
        "image/jpeg": "jpg", "image/jpg": "jpg", "image/pjpeg": "jpg", "image/png": "png", "image/webp": "webp",
        "image/gif": "gif", "image/avif": "avif", "image/heic": "heic", "image/bmp": "bmp", "image/tiff": "tiff",
        "image/jxl": "jxl",
    ]

    private static let document: [String: String] = [
        "application/pdf": "pdf", "application/zip": "zip", "application/x-zip-compressed": "zip",
        "application/gzip": "gz", "application/x-gzip": "gz", "application/x-tar": "tar",
        "application/x-7z-compressed": "7z",
        "application/epub+zip": "epub", "application/json": "json", "application/x-ipynb+json": "ipynb",
        "application/rtf": "rtf", "application/msword": "doc", "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.oasis.opendocument.text": "odt", "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.presentation": "odp", "application/x-tex": "tex", "application/xml": "xml",
        "image/svg+xml": "svg", "text/calendar": "ics", "text/csv": "csv", "text/markdown": "md", "text/plain": "txt",
        "text/vtt": "vtt", "application/x-subrip": "srt", "text/xml": "xml",
    ]

    private static let imageExtensions = Set(image.values).union(["jpeg", "tif", "heif"])

    private static let documentExtensions = Set(document.values).union(imageExtensions).union([
        "ass", "bib", "bz2", "c", "cc", "cpp", "csv", "djvu", "h", "hs", "java", "key", "log", "m", "mobi", "nb",
        "numbers", "ods", "pages", "ps", "py", "r", "rar", "rs", "sbv", "sql", "srt", "ssa", "svg", "swift", "tgz",
        "toml", "tsv", "ttml", "vtt", "xz", "yaml", "yml", "zst",
    ])

    private static let binaryExtensions = imageExtensions.union([
        "7z", "bz2", "djvu", "doc", "docx", "epub", "gz", "key", "mobi", "numbers", "odp", "ods", "odt", "pages", "pdf",
        "ppt", "pptx", "ps", "rar", "rtf", "tar", "tgz", "xls", "xlsx", "xz", "zip", "zst",
    ])

    private static let mediaExtensions = Set(video.values).union([
        "asf", "f4v", "m2ts", "m4b", "mpeg", "mts", "oga", "ogm", "rm", "rmvb", "vob", "wma",
    ])
}
