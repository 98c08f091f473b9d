import Crypto
import FileSystem
import TextFormats

/// The names of files and folders in a library: pure functions from layouts, titles and ids to names.
///
/// A video's name is made before its extension is known, so it is a *stem*: the name without extension. Every stem
/// leaves room for suffixes (``reserve``), so that the video and its sidecars share their beginning and stay within 255
/// bytes.
package enum LibraryName {
    /// The longest file name of common file systems, in bytes.
    static let limit = 255

    /// Bytes that a stem leaves free for `.<extension>` or `.<language>.<number>.vtt`.
    static let reserve = 40

    private static let longestLanguage = 32
    private static let longestID = 64

    /// Text cleaned for use as part of a name, at most 255 bytes.
    package static func component(_ text: String) -> String {
        NameCleaning.cut(NameCleaning.clean(text), to: limit)
    }

    /// An attachment's stem, `<stem> - Title`. Two attachments with one title get distinct stems from ``TakenNames``.
    package static func attachment(beside stem: String, title: String) -> String {
        // 9 is the longest extension with its dot.
        fitted(stem + " - ", title, "", to: limit - 9)
    }

    /// A stem with its extension: a video, the cover beside it, an attachment.
    package static func file(_ stem: String, _ fileExtension: FileExtension) -> String {
        "\(stem).\(fileExtension.text)"
    }

    /// Subtitles beside a video. `ordinal` is 1-based among those of one language.
    package static func subtitle(beside stem: String, language: String, ordinal: Int = 1) -> String {
        // A dot inside a language would look like another suffix.
        let safe = NameCleaning.clean(String(language.map { $0 == "." ? "_" : $0 }))
        let tag = NameCleaning.cut(safe, to: longestLanguage)
        return ordinal <= 1 ? "\(stem).\(tag).vtt" : "\(stem).\(tag).\(ordinal).vtt"
    }

    /// The name of a subtitle by the type of its response and its URL: TTML and SubRip aren't called WebVTT.
    package static func subtitle(_ name: String, contentType: String?, url: String?) -> String {
        guard name.hasSuffix(".vtt") else { return name }
        switch contentType {
        case "application/ttml+xml", "application/ttaf+xml": return name.dropLast(4) + ".ttml"
        case "application/x-subrip": return name.dropLast(4) + ".srt"
        case "text/vtt": return name
        // Servers send the others as text, or as anything.
        default:
            let end = FileExtension.choose(.attachment, url: url).text
            return ["srt", "ttml"].contains(end) ? "\(name.dropLast(4)).\(end)" : name
        }
    }

    /// Separate sound beside a video.
    package static func sound(beside stem: String, language: String?, fileExtension: String) -> String {
        let safe = NameCleaning.clean(String((language ?? "audio").map { $0 == "." || $0 == "/" ? "_" : $0 }))
        let room = limit - LibraryPathParts.split(stem).name.utf8.count - fileExtension.utf8.count - 2
        return "\(stem).\(NameCleaning.cut(safe, to: min(longestLanguage, max(1, room)))).\(fileExtension)"
    }

    /// Another view of a video, without its extension: `Talk (presentation)`.
    package static func view(beside stem: String, role: String) -> String {
        // Sound may stand beside it: `.de-CH.m4a`.
        let room = limit - reserve / 2 - LibraryPathParts.split(stem).name.utf8.count - 3
        return "\(stem) (\(NameCleaning.cut(label(ofView: role), to: max(1, room))))"
    }

    /// A view's role as part of a name.
    static func label(ofView role: String) -> String {
        let safe = NameCleaning.clean(String(role.map { $0 == "." || $0 == "/" ? "_" : $0 }))
        return NameCleaning.cut(safe, to: longestLanguage)
    }

    /// The folder of a package beside a video: the first free one, with the id if `stem.hls` isn't.
    package static func package<Failure>(
        beside stem: String, id: String, isFree: (String) throws(Failure) -> Bool
    ) throws(Failure) -> String {
        let (folder, name) = LibraryPathParts.split(stem)
        let prefix = folder.isEmpty ? "" : folder + "/"
        for attempt in 0..<100 {
            let candidate = prefix + (attempt == 0 ? name : distinct(name, id: id, attempt: attempt)) + packageEnd
            if try isFree(candidate) { return candidate }
        }
        return stem + packageEnd
    }

    /// Whether a file is one of a package's, by its path.
    package static func isInPackage(_ path: String) -> Bool {
        LibraryPathParts.split(path).folder.hasSuffix(packageEnd)
    }

    private static let packageEnd = ".hls"

    /// The name of a later file if `name` is taken: `name [id]`, then `name [id 2]` and so on, never longer than the
    /// limit for `name`.
    package static func distinct(_ name: String, id: String, attempt: Int = 1) -> String {
        let tag = NameCleaning.cut(NameCleaning.clean(id), to: longestID)
        let suffix = attempt <= 1 ? " [\(tag)]" : " [\(tag) \(attempt)]"
        // A stem stays a stem: a longer name is a folder's or an attachment's.
        let room = name.utf8.count <= limit - reserve ? limit - reserve : limit - 9
        return NameCleaning.cut(name, to: room - suffix.utf8.count) + suffix
    }

    /// An id that differs from every other one as part of a name, too: one that has to be changed for that gets a
    /// digest.
    package static func tag(of id: String) -> String {
        let cleaned = NameCleaning.cut(NameCleaning.clean(id), to: longestID)
        guard !cleaned.utf8.elementsEqual(id.utf8) else { return id }
        return "\(NameCleaning.cut(cleaned, to: longestID - 11)) \(SHA256.hash(data: Array(id.utf8)).hex.prefix(10))"
    }

    /// A path in a library whose components every file system accepts: most are so already.
    package static func portable(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { withoutDevice(component(String($0))) }.joined(separator: "/")
    }

    /// Whether a name is `wanted [2]`, or another form that ``LibraryPath`` gives a file whose place is taken.
    package static func isNumbered(_ name: String, as wanted: String) -> Bool {
        guard name.hasPrefix(wanted + " ["), name.hasSuffix("]") else { return false }
        let number = name.dropFirst(wanted.count + 2).dropLast()
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// Whether a recorded name is `wanted` or a ``distinct(_:id:attempt:)`` form of it: then nothing has to move.
    package static func isSame(_ recorded: String, as wanted: String, id: String) -> Bool {
        recorded == wanted || attempt(recorded, as: wanted, id: id) != nil
    }

    /// Which ``distinct(_:id:attempt:)`` form of `wanted` a recorded name is; nil if it is none.
    static func attempt(_ recorded: String, as wanted: String, id: String) -> Int? {
        guard recorded.utf8.last == UInt8(ascii: "]") else { return nil }
        if recorded == distinct(wanted, id: id) { return 1 }
        let number = recorded.dropLast().reversed().prefix { $0.isASCII && $0.isNumber }
        guard !number.isEmpty, number.count < 7, let attempt = Int(String(number.reversed())) else { return nil }
        return recorded == distinct(wanted, id: id, attempt: attempt) ? attempt : nil
    }

    /// Names with equal keys count as equal: equal after NFC and case folding, without invisible characters.
    ///
    /// File systems differ in their rules (case on Windows and macOS, invisible characters on HFS+); this is at least
    /// as strict as each of them, so that a library can be copied anywhere.
    package static func key(_ name: String) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars where !scalar.properties.isDefaultIgnorableCodePoint {
            scalars.append(scalar)
        }
        // Upper case first: it unites ß with ss and the two small sigmas, which lower case alone doesn't.
        return NameCleaning.composed(NameCleaning.composed(String(scalars)).uppercased().lowercased())
    }

    private static func fitted(_ prefix: String, _ title: String, _ suffix: String, to room: Int) -> String {
        prefix + NameCleaning.cut(NameCleaning.clean(title), to: room - prefix.utf8.count - suffix.utf8.count) + suffix
    }

    /// `NUL`, `con.txt`, `LPT1 .a`: Windows opens the device. Only a name without a leading number can be one.
    static func withoutDevice(_ name: String) -> String {
        let base = name.prefix { $0 != "." }
        var trimmed = base
        while trimmed.last == " " { trimmed.removeLast() }
        guard trimmed.utf8.count <= 8, devices.contains(trimmed.uppercased()) else { return name }
        return trimmed + "_" + name.dropFirst(trimmed.count)
    }

    private static let devices: Set<String> = {
        var names: Set<String> = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
        for port in ["COM", "LPT"] {
            for digit in "0123456789¹²³" { names.insert("\(port)\(digit)") }
        }
        return names
    }()
}
