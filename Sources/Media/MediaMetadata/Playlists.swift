/// `playlist.m3u8` of a course, and of each chapter with its own folder; otherwise the chapter's file is named after
/// it.
enum Playlists {
    static func files(of course: MetadataCourse) -> [MetadataFile] {
        var files = [playlist(course.title, course.videos, in: course.folder, name: "playlist.m3u8")]
        for chapter in course.chapters where chapter.id != nil {
            let isOwn = chapter.folder != course.folder
            // By scalars: a slash and a combining mark are one `Character`.
            let name = Markup.line(chapter.title).unicodeScalars.filter { !"/\\:*?\"<>|".unicodeScalars.contains($0) }
            let title = String(String.UnicodeScalarView(name)).prefix(60)
            files.append(
                playlist(
                    "\(course.title) – \(chapter.title)", chapter.videos, in: chapter.folder,
                    name: isOwn ? "playlist.m3u8" : "playlist \(chapter.number) \(title).m3u8"))
        }
        return files
    }

    private static func playlist(
        _ title: String, _ videos: [MetadataCourse.Video], in folder: String, name: String
    ) -> MetadataFile {
        var text = "#EXTM3U\n#PLAYLIST:\(Markup.line(title))\n"
        for video in videos {
            // -1 is an unknown duration.
            text +=
                "#EXTINF:\(video.seconds.map { "\(Markup.wholeSeconds($0))" } ?? "-1"),\(Markup.line(video.title))\n"
            let path = RelativePath.from(folder, to: video.path)
            // A name that begins with # would be a comment, and a leading space would be trimmed.
            text += (path.hasPrefix("#") || path.hasPrefix(" ") ? "./" : "") + path + "\n"
        }
        return MetadataFile(path: "\(folder)/\(name)", text: text)
    }
}
