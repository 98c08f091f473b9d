import Crypto
import Foundation
import TextFormats

/// What the pages of a library have in common. They are files that need nothing but those beside them.
///
/// Browsers run nothing in them but ``PageScript``, which the policy names by its hash.
enum PageFrame {
    /// - Parameter data: JSON for the script.
    static func document(title: String, body: String, data: String? = nil) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="\(policy)">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="no-referrer">
        <meta name="generator" content="coursefetch">
        <title>\(Markup.escaped(title))</title>
        <style>
        \(PageStyle.text)</style>
        </head>
        <body>
        \(body)\(data.map { "<script type=\"application/json\" id=\"titles\">\(inert($0))</script>\n" } ?? "")\
        <script>\(PageScript.text)</script>
        </body>
        </html>

        """
    }

    static let policy = """
        script-src 'sha256-\(Data(SHA256.hash(data: Data(PageScript.text.utf8))).base64EncodedString())'; \
        connect-src 'none'; frame-src 'none'; worker-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'
        """

    /// JSON that can't end the element that it is in: it has `<` in strings only. By bytes, since `<` and a combining
    /// mark are one `Character`.
    private static func inert(_ json: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(json.utf8.count)
        for byte in json.utf8 {
            if byte == UInt8(ascii: "<") { bytes += #"\u003c"#.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Hidden without the script, which does the search.
    static func search(_ label: String) -> String {
        """
        <div role="search" hidden>
        <label><span class="hidden">\(label)</span>
        <input type="search" placeholder="\(label)" autocomplete="off"></label>
        <p class="meta" role="status"></p>
        </div>

        """
    }

    /// A picture, or letters of the title in a colour of the course.
    static func picture(_ url: String?, of title: String, course: String, length: Double? = nil) -> String {
        let tone = course.utf8.reduce(5381 as UInt32) { $0 &* 33 &+ UInt32($1) } % 6
        let inside =
            url.map { "<img src=\"\($0)\" alt=\"\" loading=\"lazy\" decoding=\"async\">" }
            ?? "<span class=\"letters\" aria-hidden=\"true\">\(Markup.escaped(letters(title)))</span>"
        return "<span class=\"picture\" data-tone=\"\(tone)\">\(inside)\(length.map(Self.length) ?? "")</span>"
    }

    private static func length(_ seconds: Double) -> String {
        "<span class=\"length\"><span class=\"hidden\">Length </span>\(Markup.duration(seconds))</span>"
    }

    private static func letters(_ title: String) -> String {
        let words = title.split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? "–" : String(words.prefix(2).compactMap(\.first))
    }

    static func paragraph(_ text: String?) -> String {
        text.map { "<p class=\"about\" dir=\"auto\">\(Markup.escaped($0))</p>\n" } ?? ""
    }

    /// `<span>3 videos</span><span>1:02:03</span>`; the sum of the known durations.
    static func sum(_ videos: Int, _ seconds: Double) -> String {
        let count = "<span>\(videos) \(videos == 1 ? "video" : "videos")</span>"
        return seconds > 0 ? "\(count)<span>\(Markup.duration(seconds))</span>" : count
    }
}
