import ChildProcess
import Foundation
package import SystemPackage

/// The location of ffmpeg.
package struct FFmpeg: Sendable, Equatable {
    /// The preferred ffmpeg.
    package enum Preference: Sendable, Equatable {
        /// The first one in the folders of a `PATH`.
        case automatic(path: String)
        /// This file; a relative path starts at the working folder.
        case path(String)
        /// None, even if there is one.
        case none
    }

    /// An absolute path.
    package var executable: FilePath

    /// Takes the file unchecked: neither its existence nor that it is ffmpeg is checked.
    package init(executable: FilePath) { self.executable = executable }

    /// The preferred ffmpeg; nil if it doesn't exist or isn't executable.
    ///
    /// Empty and relative entries of `PATH` are skipped: a folder of downloads must not become one of programs.
    package static func find(_ preference: Preference) -> FFmpeg? {
        switch preference {
        case .none: return nil
        case .path(let path):
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            let folder = FilePath(FileManager.default.currentDirectoryPath)
            return executable(FilePath(path).isAbsolute ? FilePath(path) : folder.pushing(FilePath(path)))
        case .automatic(let path):
            for entry in path.split(separator: ":") where entry.utf8.first == UInt8(ascii: "/") {
                if let found = executable(FilePath(String(entry)).appending("ffmpeg")) { return found }
            }
            return nil
        }
    }

    private static func executable(_ path: FilePath) -> FFmpeg? {
        let path = path.lexicallyNormalized()
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder), !isFolder.boolValue,
            FileManager.default.isExecutableFile(atPath: path.string)
        else { return nil }
        return FFmpeg(executable: path)
    }

    /// The first line of `ffmpeg -version`, at most 200 bytes of it. Nil if the program doesn't print one, ends with an
    /// error or takes longer than the limit.
    package func version(limit: Duration = .seconds(10)) async -> String? {
        let process = BoundedProcess(executable: executable, arguments: ["-version"], limit: limit)
        let outcome = await process.run()
        guard outcome.ending == .exited(0) else { return nil }
        let line = outcome.outputHead.prefix { $0 != 0x0A }.prefix(200)
        let text = ProcessErrorOutput.withoutControls(String(decoding: line, as: UTF8.self))
        return text.isEmpty ? nil : text
    }
}
