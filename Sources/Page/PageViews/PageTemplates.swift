import Foundation
import Mustache

/// The templates and the files that belong to them, which are part of the program.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Throws if a template can't be read: a mistake in it.
    package init() throws {
        MustacheContentTypes.register(ScalarHTML(), named: ScalarHTML.name)
        var templates: [String: MustacheTemplate] = [:]
        for (name, bytes) in Self.sources {
            let text = "{{% CONTENT_TYPE: \(ScalarHTML.name)}}" + String(decoding: bytes, as: UTF8.self)
            templates[name] = try MustacheTemplate(string: text)
        }
        library = MustacheLibrary(templates: templates)
    }

    /// A page. Every text in it is escaped.
    package func render(_ name: String, _ fields: Fields) -> [UInt8] {
        Array((library.render(fields, withTemplate: name) ?? "").utf8)
    }

    /// A file of the page by its name, with its media type.
    package static func asset(_ name: String) -> (bytes: [UInt8], type: String)? {
        guard let bytes = assets[name] else { return nil }
        switch name.split(separator: ".").last {
        case "css": return (bytes, "text/css; charset=utf-8")
        case "js": return (bytes, "text/javascript; charset=utf-8")
        default: return (bytes, "image/svg+xml")
        }
    }

    private static let assets: [String: [UInt8]] = [
        "icon.svg": PackageResources.icon_svg,
        "now-view.js": PackageResources.now_view_js,
        "now.js": PackageResources.now_js,
        "page.css": PackageResources.page_css,
        "page.js": PackageResources.page_js,
        "player-controls.js": PackageResources.player_controls_js,
        "player-keys.js": PackageResources.player_keys_js,
        "player-marks.js": PackageResources.player_marks_js,
        "player-transcript.js": PackageResources.player_transcript_js,
        "player.css": PackageResources.player_css,
        "player.js": PackageResources.player_js,
        "streams.js": PackageResources.streams_js,
    ]

    private static let sources: [String: [UInt8]] = [
        "active-item": PackageResources.active_item_mustache,
        "add": PackageResources.add_mustache,
        "control": PackageResources.control_mustache,
        "course-card": PackageResources.course_card_mustache,
        "course": PackageResources.course_mustache,
        "courses": PackageResources.courses_mustache,
        "fields": PackageResources.fields_mustache,
        "first-steps": PackageResources.first_steps_mustache,
        "footer": PackageResources.footer_mustache,
        "header": PackageResources.header_mustache,
        "home": PackageResources.home_mustache,
        "host-item": PackageResources.host_item_mustache,
        "message": PackageResources.message_mustache,
        "nights": PackageResources.nights_mustache,
        "now": PackageResources.now_mustache,
        "pager": PackageResources.pager_mustache,
        "picture": PackageResources.picture_mustache,
        "search": PackageResources.search_mustache,
        "settings": PackageResources.settings_mustache,
        "sort": PackageResources.sort_mustache,
        "states": PackageResources.states_mustache,
        "video-card": PackageResources.video_card_mustache,
        "video-row": PackageResources.video_row_mustache,
        "video": PackageResources.video_mustache,
        "watch": PackageResources.watch_mustache,
    ]
}

/// Text in HTML, escaped scalar by scalar. Mustache's own escaping goes by characters, and so leaves a `<` or a `"`
/// that a stranger has made a part of a character, with a combining mark behind it or a prepending one before.
struct ScalarHTML: MustacheContentType {
    static let name = "SCALARS"

    func escapeText(_ text: String) -> String {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            case UInt8(ascii: "'"): escaped += "&#39;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}
