import ProviderKit

/// What lies beside videos in their folders: as the last listing has seen it, else as a folder is read for it.
actor BesideVideos {
    private struct Course {
        /// The names in its folders, by the folders' paths.
        var folders: [[String]: [String]]
        /// Whether there is nothing in any other folder.
        var isWhole: Bool
        var readAt: ContinuousClock.Instant
    }

    private static let patience = Duration.seconds(900)
    private static let courseBound = 64
    private static let fileBound = 50

    private var courses: [String: Course] = [:]

    /// Takes what a listing has seen. `course` is the address of the course's folder.
    func note(_ files: [FolderFile], of course: String) {
        var folders: [[String]: [String]] = [:]
        for file in files { if let name = file.path.last { folders[file.path.dropLast(), default: []].append(name) } }
        keep(Course(folders: folders, isWhole: true, readAt: .now), as: course)
    }

    /// `resolution` with the subtitles and documents that have the name of the video at `path`. A folder that can't be
    /// read has none: the video doesn't need them.
    ///
    /// - Parameters:
    ///   - read: the names in a folder.
    ///   - address: the address of a file.
    func adding(
        to resolution: Resolution, at path: [String], of course: String,
        read: (_ folder: [String]) async throws(ProviderError) -> [String], address: (_ path: [String]) -> String?
    ) async -> Resolution {
        guard let name = path.last, MediaFiles.isMedia(name) else { return resolution }
        let folder = Array(path.dropLast())
        var resolution = resolution
        for other in await names(in: folder, of: course, read).filter({ Self.belongs($0, to: name) }).prefix(
            Self.fileBound)
        {
            if let url = address(folder + [other]) { Self.add(other, at: url, of: name, to: &resolution) }
        }
        return resolution
    }

    /// Adds a file that has the name of a video: as subtitles, or as an attachment.
    static func add(_ other: String, at url: String, of name: String, to resolution: inout Resolution) {
        if MediaFiles.hasSubtitles(other) {
            resolution.subtitles.append(.init(lang: language(other, of: name) ?? "und", url: url))
        } else {
            // The video's own name is before it.
            let end = other.dropFirst(MediaFiles.title(name).count + 1)
            resolution.attachments.append(.init(title: end.uppercased(), url: url))
        }
    }

    /// Whether a file has the name of a video: `Lecture 1.pdf`, `Lecture 1.de.vtt` beside `Lecture 1.mp4`.
    static func belongs(_ other: String, to name: String) -> Bool {
        let title = MediaFiles.title(name)
        let isSubtitles = MediaFiles.hasSubtitles(other)
        return MediaFiles.title(other) == title && other != name && !MediaFiles.isMedia(other)
            || (isSubtitles && language(other, of: name) != nil)
    }

    /// The language in the name of subtitles, as in `Lecture 1.pt-BR.vtt`; nil without one.
    private static func language(_ other: String, of name: String) -> String? {
        let (title, own) = (MediaFiles.title(name), MediaFiles.title(other))
        guard own.hasPrefix(title + ".") else { return nil }
        let tag = own.dropFirst(title.count + 1)
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count), first.utf8.allSatisfy({ $0 | 0x20 >= 0x61 }),
            parts.allSatisfy({
                (1...8).contains($0.utf8.count) && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            })
        else { return nil }
        return String(tag)
    }

    private func names(
        in folder: [String], of course: String, _ read: ([String]) async throws(ProviderError) -> [String]
    ) async -> [String] {
        if let known = courses[course], known.readAt + Self.patience > .now {
            if let names = known.folders[folder] { return names }
            if known.isWhole { return [] }
        }
        var names: [String] = []
        do throws(ProviderError) {
            names = try await read(folder)
        } catch {
            HostLog.write(.debug, "can't read what lies beside a video: \(error.message)")
        }
        if courses[course].map({ $0.isWhole || $0.readAt + Self.patience <= .now }) ?? true {
            keep(Course(folders: [:], isWhole: false, readAt: .now), as: course)
        }
        courses[course]?.folders[folder] = names.sorted { NaturalOrder($0) < NaturalOrder($1) }
        return courses[course]?.folders[folder] ?? []
    }

    private func keep(_ course: Course, as name: String) {
        if courses.count >= Self.courseBound, courses[name] == nil,
            let oldest = courses.min(by: { $0.value.readAt < $1.value.readAt })
        {
            courses[oldest.key] = nil
        }
        courses[name] = course
    }
}
