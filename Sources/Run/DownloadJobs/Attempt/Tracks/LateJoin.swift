import Foundation
import HLSMedia
import SystemPackage
import TextFormats

/// Files of one view of a video that ffmpeg makes one file of: in the state where there was none when they came.
struct LateJoin: Sendable, Equatable, Codable {
    struct File: Sendable, Equatable, Codable {
        /// Its name among the files beside the video; nil for the view's own file.
        var part: String?
        /// A ``MediaKind``; nil for subtitles in SubRip.
        var kind: String?
        /// As the provider or the playlist says it.
        var language: String?
        /// In a player's menu.
        var title: String?
        /// Its beginning in seconds after that of the whole; nil for none.
        var delay: Double?

        /// Nil for what ffmpeg can't read.
        func input(at path: FilePath) -> RemuxInput? {
            var input: RemuxInput?
            if let kind {
                input = MediaKind(rawValue: kind).flatMap { RemuxInput(path: path, kind: $0, language: language) }
            } else {
                input = RemuxInput(subRip: path, language: language)
            }
            input?.title = title
            input?.delay = delay ?? 0
            return input
        }
    }

    /// The role of the view; nil for the video's own.
    var view: String?
    var picture: File
    var sound: [File] = []
    var subtitles: [File] = []
    /// Whether the sound of the picture's file follows the separate one.
    var keepsOwnSound: Bool
    /// The playing time of picture and sound; nil if it isn't known.
    var pictureSeconds: Double?
    var soundSeconds: Double?
    /// How often ffmpeg has failed; nil for never.
    var failures: Int?

    var files: [File] { [picture] + sound + subtitles }

    var lengths: [RemuxedFile.Length] {
        let picture = pictureSeconds.map { RemuxedFile.Length(kind: .video, seconds: $0) }
        let sound = soundSeconds.map { RemuxedFile.Length(kind: .audio, seconds: $0) }
        return [picture, sound].compactMap(\.self)
    }

    /// Nil for files that ffmpeg can't read.
    ///
    /// - Parameter paths: of ``files``, in their order.
    func job(_ paths: [FilePath], writing output: FilePath) -> RemuxJob? {
        let inputs = zip(files, paths).compactMap { $0.input(at: $1) }
        guard inputs.count == files.count else { return nil }
        let sound = Array(inputs.dropFirst().prefix(sound.count))
        guard var job = RemuxJob(video: inputs[0], audio: sound, output: output) else { return nil }
        job.keepsOwnSound = keepsOwnSound
        job.subtitles = Array(inputs.dropFirst(1 + sound.count))
        return job
    }

    // MARK: the form in the state

    static func text(_ joins: [LateJoin]) -> String? {
        guard !joins.isEmpty else { return nil }
        return (try? JSONEncoder().encode(joins)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// None if it can't be read.
    static func all(in text: String?) -> [LateJoin] {
        guard let text, let joins = try? JSONReader.decode([LateJoin].self, from: text.utf8),
            joins.allSatisfy({ join in
                ([join.pictureSeconds, join.soundSeconds] + join.files.map(\.delay)).compactMap(\.self).allSatisfy {
                    (0...1e8).contains($0)
                }
            })
        else { return [] }
        return joins
    }
}
