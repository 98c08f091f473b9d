/// The extension of a file in the library: 1 to 8 of `a`–`z` and `0`–`9`, and none that makes a system run the file
/// when it is opened.
package struct FileExtension: Sendable, Hashable, CustomStringConvertible {
    /// Without the dot, in lower case.
    package let text: String

    package var description: String { text }

    /// Nil for text that isn't a usable extension. A leading dot, case and surrounding spaces don't matter.
    package init?(_ text: some StringProtocol) {
        var bytes: [UInt8] = []
        for byte in text.utf8.drop(while: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ".") }) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            default: return nil
            }
            if bytes.count > 8 { return nil }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !text.isEmpty, !Self.refused.contains(text) else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    /// The purpose of a file; determines the accepted extensions and the default.
    package enum Purpose: Sendable, Hashable { case video, cover, attachment }

    /// The extension of a file: the first usable one from the resolution, its media type, the response's Content-Type,
    /// and the end of the URL's path; else `mp4` for a video, `jpg` for a cover, `bin` for an attachment. A video may
    /// be another file that somebody lists: what isn't media by its types and its name has the extension of a document.
    ///
    /// - Parameters:
    ///   - stated: the resolution's `extension`. A cover's must be an image's.
    ///   - mediaType: the resolution's `media_type`.
    ///   - contentType: the response's Content-Type, parameters included.
    ///   - url: the URL (query and fragment are ignored) or its path. A video's and a cover's must be a known
    ///     extension: `watch.php` says nothing about the file.
    package static func choose(
        _ purpose: Purpose, stated: String? = nil, mediaType: String? = nil, contentType: String? = nil,
        url: String? = nil
    ) -> FileExtension {
        if let chosen = stated.flatMap({ FileExtension($0) }), purpose != .cover || MediaTypes.isImage(chosen.text) {
            return chosen
        }
        let named = url.flatMap { ending(of: $0) }
        for type in [mediaType, contentType] {
            if let chosen = type.flatMap({ MediaTypes.fileExtension(of: $0, for: purpose) }) {
                // Servers send whatever they don't know as text.
                if purpose == .attachment, chosen == "txt", mediaType == nil, let named,
                    MediaTypes.isDocument(named.text)
                {
                    return named
                }
                return FileExtension(known: chosen)
            }
        }
        if let chosen = named {
            switch purpose {
            case .video: if MediaTypes.isMedia(chosen.text) { return chosen }
            case .cover: if MediaTypes.isImage(chosen.text) { return chosen }
            case .attachment: return chosen
            }
        }
        switch purpose {
        case .video:
            // The name first: servers send many kinds of files as text, videos, too.
            if let named, MediaTypes.isDocument(named.text) { return named }
            let types = [mediaType, contentType].compactMap(\.self)
            let known = types.lazy.compactMap { MediaTypes.fileExtension(of: $0, for: .attachment) }
                .first { $0 != "txt" }
            return FileExtension(known: known ?? "mp4")
        case .cover: return FileExtension(known: "jpg")
        case .attachment: return FileExtension(known: "bin")
        }
    }

    /// Whether players take a file with this extension for picture or sound.
    package var isMedia: Bool { MediaTypes.isMedia(text) }

    /// Whether a file of this type, or else of this URL's ending, is never HTML, XML or JSON.
    package static func excludesMarkup(mediaType: String?, url: String?) -> Bool {
        let known =
            mediaType.flatMap { MediaTypes.fileExtension(of: $0, for: .attachment) }
            ?? url.flatMap { ending(of: $0)?.text }
        return known.map(MediaTypes.isBinary) ?? false
    }

    /// The extension of a video's file, by the first of these names and URLs that ends like media; else `mp4`.
    ///
    /// - Parameter keepsFirst: whether the first name's own ending is used, whatever it is.
    package static func ofMedia(named names: [String], keepsFirst: Bool = false) -> FileExtension {
        if keepsFirst, let first = names.first, let found = ending(of: first) { return found }
        for name in names {
            let isURL = name.contains("://")
            let found = isURL ? ending(of: name) : name.split(separator: ".").last.flatMap { FileExtension($0) }
            if let found, MediaTypes.isMedia(found.text) { return found }
        }
        return FileExtension(known: "mp4")
    }

    /// The part after the last dot in the last component of a URL's path.
    private static func ending(of url: String) -> FileExtension? {
        var path = url.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.firstRange(of: "://") {
            guard let slash = path[scheme.upperBound...].firstIndex(of: "/") else { return nil }
            path = path[slash...]
        }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return FileExtension(name[name.index(after: dot)...])
    }

    /// Extensions that Windows, macOS or a desktop runs, installs or follows, and our own partial's.
    private static let refused: Set<String> = [
        "ade", "adp", "app", "appimage", "appref", "apk", "bash", "bat", "chm", "cmd", "com", "command", "cpl",
        "csh", "deb", "desktop", "dll", "dmg", "elf", "exe", "fish", "gadget", "hta", "htm", "html", "inf", "ins",
        "isp",
        "jar", "jnlp", "js", "jse", "ksh", "lnk", "mde", "mht", "mhtml", "mjs", "msc", "msh", "msi", "msix", "msp",
        "mst",
        "ocx", "out", "part", "pif", "pkg", "prg", "ps1", "psd1", "psm1", "reg", "rpm", "run", "scf", "scr", "sct",
        "sh",
        "shb", "shs", "so", "svgz", "sys", "terminal", "url", "vb", "vbe", "vbs", "vxd", "webloc", "ws", "wsc", "wsf",
        "wsh", "xhtml", "xht", "xll", "zsh",
    ]
}
