import CommandOutput
import Foundation
package import Operations

/// The page of the viewer's choices.
package struct SettingsPage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    /// - Parameters:
    ///   - subtitles: the chosen language; nil for none.
    ///   - languages: those that subtitles of the library have.
    package func settings(
        subtitles: String?, speed: Double?, languages: [String], courses: [ViewedCourse], path: String?
    ) -> Fields {
        let names = Set(languages + (subtitles.map { [$0] } ?? [])).sorted()
        var choices: [Fields] = [["value": "", "label": "Off", "selected": subtitles == nil]]
        choices += names.map { ["value": $0, "label": LanguageName.of($0), "selected": $0 == subtitles] }
        var facts: [Fields] = []
        if let path { facts.append(["name": "Files", "text": path]) }
        if let counts = LibraryPages(frame).counts(courses, withUnwatched: false) {
            facts.append(["name": "Content", "text": counts])
        }
        let keys = [
            ("Space", "Play or pause"), ("← →", "5 seconds back or forward"), ("J L", "10 seconds back or forward"),
            ("< >", "Slower or faster"), ("C", "Subtitles"), ("F", "Full screen"), ("N P", "Next or previous video"),
            ("?", "All keys of the player"),
        ]
        return fields(
            "Settings", .settings,
            [
                "languages": choices, "speeds": speeds(speed ?? 1, standard: nil), "facts": facts,
                "keys": keys.map { ["name": $0.0, "text": $0.1] as Fields },
            ])
    }
}
