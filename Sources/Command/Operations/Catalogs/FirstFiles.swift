import FileSystem
import Foundation
import RunAccess
package import SyncFacts
import SystemPackage

/// The files for a new user: a catalog, and settings that name it.
package enum FirstFiles {
    /// A file to create.
    package struct File: Sendable, Equatable {
        /// Absolute.
        package var path: String
        package var text: String

        package init(path: String, text: String) {
            self.path = path
            self.text = text
        }
    }

    /// The paths that exist already, as files or anything else.
    package static func existing(_ paths: [String]) -> [String] {
        paths.filter { path in
            var facts = stat()
            return lstat(path, &facts) == 0
        }
    }

    /// Creates all of them, with the folders above, or none; replaces nothing.
    package static func write(_ files: [File]) throws(Refusal) {
        let taken = existing(files.map(\.path))
        guard taken.isEmpty else { throw .run(.filesThere(taken)) }
        var made: [String] = []
        do {
            for file in files {
                try write(file)
                made.append(file.path)
            }
        } catch {
            for path in made { unlink(path) }
            throw error
        }
    }

    private static func write(_ file: File) throws(Refusal) {
        let folder = FilePath(file.path).removingLastComponent().string
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw .run(.unmadeFile(path: folder, reason: "\(Errno(rawValue: errno))"))
        }
        do throws(Errno) {
            let place = FilePath(file.path)
            guard let name = place.lastComponent?.string else { throw .isDirectory }
            let draft = try DraftFile(
                of: name, in: try FolderHandle(at: place.removingLastComponent()),
                draft: ".\(name.prefix(200)).\(getpid()).tmp")
            try draft.write(Data(file.text.utf8))
            try draft.place()
        } catch .fileExists {
            throw .run(.filesThere([file.path]))
        } catch {
            throw .run(.unmadeFile(path: file.path, reason: "\(error)"))
        }
    }
}

/// The contents of a first catalog, from three answers.
package struct FirstCatalog: Sendable, Equatable, CustomReflectable {
    /// The course's title.
    package var title: String
    /// The course's id.
    package var course: String
    /// The provider of its videos.
    package var provider: String
    /// For the provider `direct`: an address with `{id}` in it.
    package var address: String?
    /// The first video's id.
    package var video: String
    /// What a provider found at an address; nil for a course that is written without one.
    package var found: AddedCourse?

    /// What a provider found.
    package init(_ found: AddedCourse) {
        (title, course, provider, video) = (found.title, found.course, found.provider, "")
        self.found = found
    }

    /// A course of videos at addresses, or, if `source` isn't one, of the provider with that name.
    ///
    /// Of the address of one video its file's name becomes `{id}`. Nil for an address without a file's name, and for
    /// one that isn't http or https.
    package init?(title: String, source: String) {
        self.title = title
        course = Self.identifier(title)
        video = "intro"
        guard CatalogAddress(source) != .file(source), source != "-" else {
            let isName = source.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._\-]*/) != nil
            guard isName else { return nil }
            provider = source
            return
        }
        provider = "direct"
        guard source.prefixMatch(of: /(?i)https?:\/\/[^\/]/) != nil else { return nil }
        guard !source.contains("{id}") else {
            address = source
            return
        }
        let path = source.prefix { $0 != "?" && $0 != "#" }
        let host = path.range(of: "://").flatMap { path[$0.upperBound...].firstIndex(of: "/") } ?? path.endIndex
        let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.endIndex
        let name = start > host ? path[start...] : ""
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        // A name without an extension before a query is a program's, such as `watch?v=1`.
        guard !name[..<dot].isEmpty, dot < name.endIndex || !source.contains("?") else { return nil }
        video = name[..<dot].removingPercentEncoding ?? String(name[..<dot])
        address = source[..<start] + "{id}" + source[dot...]
    }

    /// Its address may hold a secret.
    package var customMirror: Mirror { Mirror(self, children: ["course": course, "provider": provider]) }

    /// Whether an address is that of a file of media, by the end of its path.
    package static func isMedia(_ address: String) -> Bool {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        let ends = ["mp4", "m4v", "webm", "mkv", "mov", "mp3", "m4a", "ogg", "opus", "m3u8", "mpd"]
        return path.split(separator: ".").last.map { ends.contains($0.lowercased()) } ?? false
    }

    /// Letters and digits of ASCII in lower case, with dashes between.
    static func identifier(_ title: String) -> String {
        let plain = title.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil).lowercased()
        let words = plain.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return words.isEmpty ? "course" : String(words.joined(separator: "-").prefix(100))
    }
}
