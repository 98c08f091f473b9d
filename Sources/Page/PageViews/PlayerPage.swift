import CommandOutput
package import DownloadStore
import Foundation
package import Operations
import SyncFacts
import TextFormats
import ViewerMarks

/// The page of a video.
package struct PlayerPage: PageView {
    let frame: PageFrame

    package init(_ frame: PageFrame) { self.frame = frame }

    /// - Parameters:
    ///   - start: where to begin, in seconds; nil where the viewer left off.
    ///   - subtitles: the language of those to show at the start; nil for none.
    ///   - titles: of the neighbours.
    package func video(
        _ detail: ViewedDetail, start: Double?, subtitles: String?, standardSpeed: Double?,
        titles: [DownloadKey: String]
    ) -> Fields {
        let video = detail.video
        let key = video.key
        var fields = self.fields(
            video.title, nil,
            [
                "courseTitle": detail.course.title, "courseHref": address("course", key.course),
                "place": orAbsent(place(detail)), "id": Selector(video.row.reference).description,
                "marks": address("marks", key.course, key.video), "courseMarks": address("marks", key.course),
                "picture": address("picture", key.course, key.video), "people": absent,
                "date": orAbsent(video.date.map { PageWords.date($0, frame) }),
                "length": orAbsent(video.seconds.map(PageWords.clock)),
                "description": orAbsent(video.listed?.description), "watched": video.mark?.isWatched ?? false,
                "previous": orAbsent(neighbour(detail.previous, titles)),
                "next": orAbsent(neighbour(detail.next, titles)), "state": orAbsent(state(of: video)),
                "player": absent,
            ])
        let files = self.files(detail)
        fields["hasFiles"] = !files.isEmpty
        fields["files"] = files
        if video.row.path != nil {
            fields["player"] = player(detail, start: start, subtitles: subtitles, standardSpeed: standardSpeed)
        }
        return fields
    }

    private func place(_ detail: ViewedDetail) -> String? {
        let chapter = detail.chapter.map { $0.title.isEmpty ? $0.id : $0.title } ?? detail.video.row.chapterTitle
        let number = detail.video.number.map { "\($0) of \(Wording.grouped(max($0, detail.course.sums.videos)))" }
        let parts = [chapter, number].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    private func neighbour(_ key: DownloadKey?, _ titles: [DownloadKey: String]) -> Fields? {
        key.map { ["title": titles[$0] ?? $0.video, "href": address("video", $0.course, $0.video)] }
    }

    /// What to say of a video without a file; nil for one that can be played.
    private func state(of video: ViewedVideo) -> Fields? {
        let row = video.row
        guard row.path == nil else { return nil }
        var actions = [control(of: video)].compactMap { $0 }
        let (text, isProblem): (String, Bool)
        switch row.state {
        case .failed: (text, isProblem) = ("The download has failed.", true)
        case .paused: (text, isProblem) = ("The download is paused.", false)
        case .cancelled: (text, isProblem) = ("The download is cancelled.", false)
        case .active: (text, isProblem) = ("It is being downloaded now.", false)
        case .finished: (text, isProblem) = ("Its file is missing.", true)
        case .waiting, .suspended:
            (text, isProblem) = ("It isn't downloaded yet.", false)
            if !row.gone {
                let id = Selector(row.reference).description
                actions.append(["id": id, "action": "cancel", "label": "Don’t download", "about": video.title])
            }
        }
        var reason: String?
        if let error = row.error {
            let explanation = Explainer(catalogs: []).failure(
                of: row.reference, error, retryAt: row.retryAt, file: row.file, provider: row.provider, now: now,
                zone: zone)
            reason =
                Explainer(catalogs: []).reason(error) + (explanation.remedy.map { "; \($0)" } ?? "")
                + (explanation.command.map { ": \($0)" } ?? "")
        }
        return ["text": text, "isProblem": isProblem, "reason": orAbsent(reason), "actions": actions]
    }

    private func player(
        _ detail: ViewedDetail, start: Double?, subtitles: String?, standardSpeed: Double?
    ) -> Fields {
        let video = detail.video
        let key = video.key
        let streams = self.streams(detail)
        let begin = start ?? (video.mark?.isWatched == true ? 0 : video.mark?.position ?? 0)
        return [
            "start": PageWords.number(begin), "seconds": PageWords.number(video.seconds ?? 0),
            "speed": PageWords.number(detail.speed ?? standardSpeed ?? 1),
            "m3u": root + "play/" + PercentEncoding.encoded(key.course) + "/" + PercentEncoding.encoded(key.video)
                + ".m3u",
            "isSeveral": streams.count > 1, "isSound": video.isSound, "streams": streams,
            "tracks": tracks(detail, subtitles: subtitles),
        ]
    }

    /// The video's own file first, which has the sound, then its other views.
    private func streams(_ detail: ViewedDetail) -> [Fields] {
        let row = detail.video.row
        func stream(_ path: String, role: String, isLead: Bool) -> Fields {
            let type = ServedType.of(fileExtension(path)) ?? "video/mp4"
            let offset = PageWords.number(detail.offsets[role] ?? 0)
            return [
                "role": role, "name": role.prefix(1).uppercased() + role.dropFirst(), "href": media(path, detail),
                "type": type, "width": "640", "height": "360", "offset": offset, "isLead": isLead,
                "isSound": detail.video.isSound,
            ]
        }
        let main = row.path.map { [stream($0, role: row.role ?? "main", isLead: true)] } ?? []
        return main
            + row.views.filter { ServedType.isVideo(fileExtension($0.file.path)) }.map {
                stream($0.file.path, role: $0.role, isLead: false)
            }
    }

    /// Of the subtitles of the wanted language, or else of none, the first are shown at the start.
    private func tracks(_ detail: ViewedDetail, subtitles: String?) -> [Fields] {
        let files = detail.files.filter { $0.kind == .subtitle && ["vtt", "srt"].contains(fileExtension($0.path)) }
        let chosen = subtitles.flatMap { wanted in
            files.firstIndex { $0.name == wanted } ?? files.firstIndex { $0.name.hasPrefix(wanted) }
        }
        return files.enumerated().map { index, file in
            [
                "href": address("text", detail.video.key.course, detail.video.key.video, name(of: file.path)),
                "language": file.name, "name": LanguageName.of(file.name), "isDefault": index == chosen,
            ]
        }
    }

    private func files(_ detail: ViewedDetail) -> [Fields] {
        func file(_ path: String, _ size: Int64) -> Fields {
            ["name": name(of: path), "size": Wording.size(size), "href": media(path, detail)]
        }
        let row = detail.video.row
        let main = row.path.map { [file($0, row.size ?? 0)] } ?? []
        return main + detail.files.filter { $0.kind != .cover }.map { file($0.path, $0.size) }
    }

    private func media(_ path: String, _ detail: ViewedDetail) -> String {
        address("media", detail.video.key.course, detail.video.key.video, name(of: path))
    }

    private func name(of path: String) -> String { ViewedLibrary.name(of: path) }

    private func fileExtension(_ path: String) -> String {
        let name = name(of: path)
        return name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
    }
}

/// Languages as a person knows them.
enum LanguageName {
    /// `English` for `en`; the name itself for another.
    static func of(_ name: String) -> String {
        let locale = Locale(identifier: "en")
        guard name.count <= 12, let language = locale.localizedString(forIdentifier: name), !language.isEmpty else {
            return name
        }
        return language
    }
}
