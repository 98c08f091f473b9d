/// The media types of files that are shown or played in a browser.
package enum ServedType {
    /// The type for a file extension. A browser runs none of these; for others it is nil, and the file is only saved.
    package static func of(_ fileExtension: String) -> String? {
        let name = fileExtension.lowercased()
        return video[name] ?? sound[name] ?? other[name]
    }

    package static func isSound(_ fileExtension: String) -> Bool { sound[fileExtension.lowercased()] != nil }

    package static func isVideo(_ fileExtension: String) -> Bool { video[fileExtension.lowercased()] != nil }

    private static let video: [String: String] = [
        "mp4": "video/mp4", "m4v": "video/mp4", "webm": "video/webm", "ogv": "video/ogg", "mov": "video/quicktime",
        "mkv": "video/x-matroska", "ts": "video/mp2t", "m2ts": "video/mp2t", "mts": "video/mp2t", "mpg": "video/mpeg",
        "mpeg": "video/mpeg", "vob": "video/mpeg", "flv": "video/x-flv", "f4v": "video/mp4", "avi": "video/x-msvideo",
        "wmv": "video/x-ms-wmv", "asf": "video/x-ms-asf", "3gp": "video/3gpp", "3g2": "video/3gpp2",
        "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml",
    ]

    private static let sound: [String: String] = [
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4", "aac": "audio/aac", "oga": "audio/ogg",
        "ogg": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav", "weba": "audio/webm",
        "mka": "audio/x-matroska", "wma": "audio/x-ms-wma",
    ]

    private static let other: [String: String] = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "gif": "image/gif",
        "avif": "image/avif", "pdf": "application/pdf", "txt": "text/plain; charset=utf-8", "vtt": "text/vtt",
        "m4s": "video/iso.segment",
    ]
}
