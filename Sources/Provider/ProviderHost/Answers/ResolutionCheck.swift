package import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requirements for a resolution beyond its JSON form. A plugin that violates them is at fault.
///
/// No message quotes a value: any of them may be a secret.
package enum ResolutionCheck {
    private static let urlBound = 8192
    private static let listBound = 1000
    /// The number of dropped entries that are named.
    private static let reportedBound = 3
    static let headerBound = 64
    static let headerBytes = 16_384
    private static let ownHeaders: Set<String> = [
        "host", "range", "connection", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade", "expect",
    ]

    /// No file is larger, and larger numbers aren't exact in JSON.
    private static let sizeBound: Int64 = 1 << 53
    /// About 30 years.
    private static let durationBound = 1e9

    /// Removes invalid entries from `resolution` that aren't worth failing the video: subtitles without a valid
    /// language, and sidecars without a valid title or URL. Returns messages about them.
    static func drop(from resolution: inout Resolution) -> [String] {
        let all = resolution.subtitles
        resolution.subtitles = all.filter { isLanguageTag($0.lang) }
        let count = all.count - resolution.subtitles.count
        var reasons =
            count == 0
            ? []
            : ["\(count == 1 ? "one of its" : "\(count) of its") 'subtitles' left out: 'lang' isn't a language tag"]
        resolution.subtitles = sound(resolution.subtitles, "subtitles", &reasons) { subtitle in
            if let text = subtitle.text { return text.isEmpty ? ("'\(subtitle.lang)'", "'text' is empty") : nil }
            return urlFault(subtitle.url).map { ("'\(subtitle.lang)'", "'url' \($0)") }
        }
        resolution.attachments = sound(resolution.attachments, "attachments", &reasons) { attachment in
            guard isTitle(attachment.title) else { return (nil, "'title' has a wrong length") }
            return urlFault(attachment.url).map { ("'\(attachment.title)'", "'url' \($0)") }
        }
        if let cover = resolution.cover, let fault = urlFault(cover) {
            reasons.append("its 'cover' left out: it \(fault)")
            resolution.cover = nil
        }
        if let title = resolution.title, !isTitle(title) || title.utf8.contains(0) {
            reasons.append("its 'title' left out: it is empty, longer than 1024 bytes, or has NUL in it")
            resolution.title = nil
        }
        return reasons
    }

    /// The valid entries of a list; mistakes are reported by name, only the first few, since a list may have a
    /// thousand.
    private static func sound<Item>(
        _ items: [Item], _ list: String, _ reasons: inout [String],
        fault: (Item) -> (name: String?, fault: String)?
    ) -> [Item] {
        var others = 0
        var left: [Item] = []
        for (index, item) in items.enumerated() {
            guard let (name, fault) = fault(item) else {
                left.append(item)
                continue
            }
            others += 1
            guard others <= reportedBound else { continue }
            reasons.append("\(name ?? "number \(index + 1)") of its '\(list)' left out: \(fault)")
        }
        if others > reportedBound { reasons.append("\(others - reportedBound) more of its '\(list)' left out") }
        return left
    }

    /// The mistake in `resolution`, or nil.
    package static func fault(in resolution: Resolution) -> String? {
        if let fault = urlFault(resolution.url) { return "'url' in its answer \(fault)" }
        if let fault = tokensFault(resolution) { return fault }
        if let fault = headersFault(resolution.headers) { return "'headers' in its answer \(fault)" }
        if let size = resolution.size, let fault = sizeFault(size) { return "'size' in its answer \(fault)" }
        if let duration = resolution.duration, !(duration >= 0) { return "'duration' in its answer is negative" }
        if let duration = resolution.duration, duration > durationBound {
            return "'duration' in its answer is more than \(Int(durationBound)) seconds"
        }
        if let sha256 = resolution.sha256, !isSHA256(sha256) {
            return "'sha256' in its answer isn't 64 hexadecimal digits"
        }
        if let fault = resolution.checksums.flatMap(checksumsFault) { return "'checksums' in its answer \(fault)" }
        if let fault = tracksFault(resolution) { return fault }
        if let fault = streamsFault(resolution) { return fault }
        if let name = resolution.fileExtension, !isExtension(name) {
            return "'extension' in its answer isn't up to 16 letters and digits"
        }
        if let type = resolution.mediaType, !isPlainText(type, bound: 256) {
            return "'media_type' in its answer isn't a media type"
        }
        if resolution.subtitles.count > listBound {
            return "'subtitles' in its answer has more than \(listBound) items"
        }
        if resolution.attachments.count > listBound {
            return "'attachments' in its answer has more than \(listBound) items"
        }
        return nil
    }

    /// The first of the sidecars without a URL in `resolution`, or nil. A sync leaves it out, as it may be of a later
    /// version; the one who wrote the plugin is told.
    package static func missingURL(in resolution: Resolution) -> String? {
        let subtitle = resolution.subtitles.firstIndex { $0.text == nil && $0.url.isEmpty }
        let attachment = resolution.attachments.firstIndex { $0.url.isEmpty }
        return subtitle.map { "its answer has no 'result.subtitles[\($0)].url'" }
            ?? attachment.map { "its answer has no 'result.attachments[\($0)].url'" }
    }

    static func sizeFault(_ size: Int64) -> String? {
        if size < 0 { return "is negative" }
        return size > sizeBound ? "is more than 2^53 bytes, the limit for a file" : nil
    }

    static func isTitle(_ text: String) -> Bool { (1...1024).contains(text.utf8.count) }

    static func isLanguageTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// The mistake in a URL of media.
    static func urlFault(_ text: String) -> String? {
        if text.utf8.count > urlBound { return "is longer than \(urlBound) bytes" }
        if text.unicodeScalars.contains(where: { $0.value <= 0x20 || (0x7F...0x9F).contains($0.value) }) {
            return "contains a space or a control character"
        }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", text.dropFirst(scheme.count).hasPrefix("://"),
            let url = URL(string: text), let host = url.host(), !host.isEmpty
        else { return "isn't an absolute http or https URL" }
        if let port = url.port, !(1...65_535).contains(port) { return "has a port out of range" }
        return url.user() == nil ? nil : "contains a user name; use 'headers' or 'token'"
    }

    static func isSHA256(_ text: String) -> Bool { text.utf8.count == 64 && text.utf8.allSatisfy(isHexDigit) }

    static func headersFault(_ headers: [String: String]) -> String? {
        if headers.count > headerBound { return "has more than \(headerBound) items" }
        if Set(headers.keys.map { $0.lowercased() }).count < headers.count { return "names a header twice" }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            if let fault = headerFault(name, value) { return fault }
        }
        return nil
    }

    static func headerFault(_ name: String, _ value: String) -> String? {
        guard isHeaderName(name) else { return "has a name that isn't one of a header" }
        let lowered = name.lowercased()
        if ownHeaders.contains(lowered) || lowered.hasPrefix("if-") || lowered.hasPrefix("content-") {
            return "sets '\(name)', which coursefetch sets itself"
        }
        if value.utf8.count > headerBytes { return "has a '\(name)' longer than \(headerBytes) bytes" }
        let isClean = value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
        return isClean ? nil : "has a line end or control character in '\(name)'"
    }

    /// Related: RFC 9110 §5.6.2
    static func isHeaderName(_ name: String) -> Bool {
        (1...256).contains(name.utf8.count)
            && name.utf8.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    private static func isExtension(_ name: String) -> Bool {
        (1...16).contains(name.utf8.count) && name.utf8.allSatisfy(isLetterOrDigit)
    }

    private static func isPlainText(_ text: String, bound: Int) -> Bool {
        (1...bound).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }
}
