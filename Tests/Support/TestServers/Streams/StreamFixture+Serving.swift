import Foundation

extension StreamFixture {
    /// A file of it, as a server gives it out.
    package func answer(_ file: String) throws -> ScriptedAnswer {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file)))
        return .bytes(bytes, Self.mediaTypes[file.split(separator: ".").last ?? ""] ?? "application/octet-stream")
    }

    /// The text of one of its playlists; of the first one, if none is named.
    package func text(_ file: String? = nil) throws -> String {
        String(decoding: try answer(file ?? playlist).body, as: UTF8.self)
    }

    /// What the first segments of a track make, joined and decrypted; of all of them, if no number is given. Empty where
    /// that can't be foretold.
    package func joined(_ track: Int = 0, _ count: Int? = nil) throws -> [UInt8] {
        let track = tracks[track]
        let files = (track.initialization.map { [$0] } ?? []) + track.parts.prefix(count ?? track.parts.count)
        if count == 0 || track.parts.isEmpty { return [] }
        return try files.flatMap { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
    }

    /// The pictures and sounds that must come out of it.
    ///
    /// - Parameters:
    ///   - picture: `high`, `middle` or `low`, where it has several.
    ///   - language: of the sound, where it has several.
    package func expected(picture: String = "high", language: String = "en") async throws -> FrameHashes {
        var hashes = FrameHashes()
        if kind == .twoParts {
            for part in tracks[0].parts {
                let next = try await StreamFixtures.hashes(of: part)
                hashes.pictures += next.pictures
                hashes.sounds += next.sounds
            }
            return hashes
        }
        if let file = self.picture {
            hashes.pictures = try await StreamFixtures.hashes(of: file.replacing("high.mp4", with: picture + ".mp4"))
                .pictures
        }
        hashes.sounds = try await StreamFixtures.hashes(of: sound(in: language)).sounds
        return hashes
    }

    private static let mediaTypes: [Substring: String] = [
        "m3u8": playlistType, "ts": "video/mp2t", "m4s": "video/mp4", "mp4": "video/mp4", "aac": "audio/aac",
        "vtt": "text/vtt",
    ]

    /// The media type of playlists.
    package static let playlistType = "application/vnd.apple.mpegurl"
}

extension FaultHost {
    /// Gives out a stream beneath a path such as `/lecture/`; single files can be scripted otherwise afterwards.
    package func serve(_ fixture: StreamFixture, at path: String) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) where !file.hasPrefix(".") {
            script(path + file, [try fixture.answer(file)])
        }
    }
}
