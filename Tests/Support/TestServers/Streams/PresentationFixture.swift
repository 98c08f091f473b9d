import Foundation

/// A small real DASH presentation of 24 seconds, made by ffmpeg of what ``StreamFixture/Kind/master`` is made of: two
/// pictures, and separate sound in two languages.
package struct PresentationFixture: Sendable {
    /// How its segments are addressed.
    package enum Form: String, Sendable, CaseIterable {
        /// SegmentTemplate with numbers and one duration.
        case numbers
        /// SegmentTemplate with a SegmentTimeline.
        case timeline
        /// SegmentList of files.
        case list
        /// The same, made with a timeline.
        case timedList = "timed-list"
        /// SegmentList of ranges of one file.
        case singleFile = "single-file"
        /// SegmentBase with a `sidx` in each file.
        case index
    }

    package let form: Form
    /// The folder with everything that a server has to give out, an absolute path.
    package let folder: String
    /// In the folder.
    package let presentation = "index.mpd"
    private let source: StreamFixture

    /// Makes one in a folder that exists.
    package static func make(_ form: Form, in folder: String) async throws -> PresentationFixture {
        let source = try await StreamFixtures.make(.master)
        let sources = (source.sound as NSString).deletingLastPathComponent
        let fixture = PresentationFixture(form: form, folder: folder, source: source)
        if form == .index {
            try await fixture.indexed(sources)
        } else {
            let (template, timeline, single) = form.options
            let files = ["high.mp4", "low.mp4", "en.m4a", "de.m4a"].map { "-i \(sources)/\($0)" }.joined(separator: " ")
            try await Script.run(
                [
                    "ffmpeg -v error \(files) -map 0:v -map 1:v -map 2:a -map 3:a -c copy -metadata:s:a:0 language=en"
                        + " -metadata:s:a:1 language=de -f dash -seg_duration 1 -use_template \(template)"
                        + " -use_timeline \(timeline) -single_file \(single)"
                        + " -adaptation_sets 'id=0,streams=0,1 id=1,streams=2 id=2,streams=3' index.mpd"
                ], in: folder)
        }
        return fixture
    }

    /// Four seconds of VP9 and Opus in WebM, in a folder that exists. There is nothing to compare it with.
    package static func makeWebM(in folder: String) async throws {
        try await Script.run(
            [
                "ffmpeg -v error -f lavfi -i testsrc2=size=128x72:rate=25:duration=4 -f lavfi -i sine=duration=4 "
                    + " -map 0:v -map 1:a -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25 -keyint_min 25"
                    + " -c:a libopus -f dash -dash_segment_type webm -seg_duration 1"
                    + " -adaptation_sets 'id=0,streams=0 id=1,streams=1' index.mpd"
            ], in: folder)
    }

    /// The text of the presentation.
    package func text() throws -> String { try String(contentsOfFile: folder + "/" + presentation, encoding: .utf8) }

    /// The pictures (`high` or `low`) and sounds that must come out of it.
    package func expected(picture: String = "high", language: String = "en") async throws -> FrameHashes {
        try await source.expected(picture: picture, language: language)
    }

    /// Some files of it, one after the other.
    package func joined(_ files: [String]) throws -> [UInt8] {
        try files.flatMap { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0))) }
    }

    /// Each encoding in one file, with an index behind its initialization section.
    private func indexed(_ sources: String) async throws {
        var sets = ""
        for (name, kind, more) in [
            ("high.mp4", "video", "width=\"320\" height=\"180\""), ("low.mp4", "video", "width=\"160\" height=\"90\""),
            ("en.m4a", "audio", "lang=\"en\""), ("de.m4a", "audio", "lang=\"de\""),
        ] {
            try await Script.run(
                [
                    "ffmpeg -v error -i \(sources)/\(name) -map 0:\(kind.prefix(1)) -c copy -frag_duration 1000000"
                        + " -f mp4 -movflags +frag_keyframe+empty_moov+default_base_moof+global_sidx \(name)"
                ], in: folder)
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
            guard let name4 = bytes.firstRange(of: Array("sidx".utf8)) else {
                throw TestServerError("ffmpeg wrote no index")
            }
            let start = name4.lowerBound - 4
            let end = start + bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            sets += """
                <AdaptationSet mimeType="\(kind)/mp4" \(kind == "audio" ? more : "")>
                  <Representation id="\(name)" bandwidth="\(bytes.count / 3)" \(kind == "video" ? more : "")>
                    <BaseURL>\(name)</BaseURL>
                    <SegmentBase indexRange="\(start)-\(end - 1)"><Initialization range="0-\(start - 1)"/></SegmentBase>
                  </Representation>
                </AdaptationSet>

                """
        }
        let text = """
            <?xml version="1.0"?>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT24S">
            <Period>
            \(sets)</Period>
            </MPD>
            """
        try text.write(toFile: folder + "/" + presentation, atomically: false, encoding: .utf8)
    }
}

extension PresentationFixture.Form {
    /// What ffmpeg's muxer is told.
    fileprivate var options: (template: Int, timeline: Int, single: Int) {
        switch self {
        case .numbers: (1, 0, 0)
        case .timeline: (1, 1, 0)
        case .list: (0, 0, 0)
        case .timedList: (0, 1, 0)
        case .singleFile, .index: (0, 0, 1)
        }
    }
}

extension FaultHost {
    /// Gives out a presentation's folder beneath a path such as `/lecture/`.
    package func serve(presentation folder: String, at path: String) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) where !file.hasPrefix(".") {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file)))
            script(path + file, [.bytes(bytes, file.hasSuffix(".mpd") ? "application/dash+xml" : "video/mp4")])
        }
    }
}
