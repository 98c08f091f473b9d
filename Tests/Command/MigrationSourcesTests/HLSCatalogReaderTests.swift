import Foundation
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source hlscatalog")
struct HLSCatalogReaderTests {
    /// A stream of a package as the system writes it.
    private struct Stream {
        var folder = "0-ABC-310656"
        var isComplete = true
        var initial: String?
        var fragments = ["aa", "bb", "cc"]
        var key = ""
        /// How many segments the playlist has more than there are.
        var more = 0
        var lengths: [Int] = []

        func write(to package: String, _ folder: TemporaryFolder) throws {
            let at = "\(package)/\(self.folder)"
            var playlist = "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n\(key)"
            if let initial {
                playlist += "#EXT-X-MAP:URI=\"init.mp4\"\n"
                try folder.write(initial, to: "\(at)/seg0.initfrag")
            }
            var offset = 0
            var segments = ""
            // Written as they came: the last one first.
            for (number, text) in fragments.enumerated().reversed() {
                try folder.write(text, to: "\(at)/seg\(number).frag")
                let length = number < lengths.count ? lengths[number] : text.utf8.count
                segments +=
                    "<SEG Dur=\"6.0\" Len=\"\(length)\" Off=\"\(offset)\" PATH=\"seg\(number).frag\" SeqNum=\"\(number)\" Tim=\"0.0\" "
                    + "URL=\"https://h/s\(number).ts?a=1&amp;b=2\"/>"
                offset += length
            }
            for number in 0..<fragments.count + more { playlist += "#EXTINF:6.0,\ns\(number).ts\n" }
            try folder.write(playlist + "#EXT-X-ENDLIST\n\u{0}", to: "\(at)/list.m3u8")
            let iseg = initial.map {
                "<MediaInitializationSegments><ISEG Len=\"\($0.utf8.count)\" Off=\"0\" PATH=\"seg0.initfrag\" SeqNum=\"0\" "
                    + "URL=\"https://h/init.mp4\"/></MediaInitializationSegments>"
            }
            try folder.write(
                """
                <?xml version="1.0" encoding="UTF-8"?>
                <StreamInfo xmlns="http://apple.com/IMG/Schemas/HLSPersistentStreamInfo">
                  <Version>1.0</Version><Complete>\(isComplete ? "YES" : "NO")</Complete>
                  <MediaPlaylist><NetworkURL>https://h/p.m3u8</NetworkURL><PathToLocalCopy>list.m3u8</PathToLocalCopy></MediaPlaylist>
                  <Type>Main</Type>\(iseg ?? "")<MediaSegments>\(segments)</MediaSegments>
                </StreamInfo>
                """, to: "\(at)/StreamInfoBoot.xml")
        }
    }

    private func package(_ path: String, _ streams: [Stream], in folder: TemporaryFolder) throws {
        let list = streams.map {
            "<Stream ID=\"\($0.folder)\" Path=\"\($0.folder)\" NetworkURL=\"https://h/p.m3u8\"><Complete>"
                + "\($0.isComplete ? "YES" : "NO")</Complete></Stream>"
        }
        try folder.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <HLSMoviePackage xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
              xmlns="http://apple.com/IMG/Schemas/HLSMoviePackage"
              xsi:schemaLocation="http://apple.com/IMG/Schemas/HLSMoviePackage /System/Library/Schemas/HLSMoviePackage.xsd">
              <Version>1.0</Version><HLSMoviePackageType>PersistedStore</HLSMoviePackageType>
              <Streams>\(list.joined())</Streams>
              <MasterPlaylist><NetworkURL>https://h/master.m3u8</NetworkURL></MasterPlaylist>
              <DataItems Directory="Data"></DataItems>
            </HLSMoviePackage>
            """, to: "\(path)/boot.xml")
        for stream in streams { try stream.write(to: path, folder) }
    }

    private func state(_ streams: [Stream], _ change: (TemporaryFolder) throws -> Void = { _ in }) throws
        -> SourceRecord?
    {
        let folder = TemporaryFolder()
        try package("a.movpkg", streams, in: folder)
        try change(folder)
        return try Reading.records(HLSCatalogReader.self, folder).first
    }

    @Test("a complete package is its fragments in the order of their numbers, after what precedes them")
    func complete() throws {
        let folder = TemporaryFolder()
        try package("b/My Film_0123ABCD.movpkg", [Stream(initial: "init")], in: folder)
        let list = [["name": "My Film", "playlist_url": "https://h/film.m3u8"]]
        try folder.write(PropertyListTests.bytes(list, .xml), to: "Streams.plist")
        var record = SourceRecord(key: "b/My Film_0123ABCD.movpkg", state: .finished)
        record.names = ["My Film_0123ABCD", "My Film"]
        (record.title, record.url) = ("My Film", "https://h/film.m3u8")
        let parts = ["seg0.initfrag", "seg0.frag", "seg1.frag", "seg2.frag"].map { "0-ABC-310656/" + $0 }
        record.file = SourceFile(path: "b/My Film_0123ABCD.movpkg", parts: parts, size: 10)
        #expect(try Reading.records(HLSCatalogReader.self, folder) == [record])
        let own = ["0-ABC-310656/StreamInfoBoot.xml", "0-ABC-310656/list.m3u8", "boot.xml"].map {
            "\(record.key)/\($0)"
        }
        #expect(try Reading.open(HLSCatalogReader.self, folder).storeFiles() == ["Streams.plist"] + own)
        // The address in the package says more than its name.
        let other = list + [["name": "Other", "playlist_url": "https://h/master.m3u8"]]
        try folder.write(PropertyListTests.bytes(other, .binary), to: "Streams.plist")
        #expect(try Reading.records(HLSCatalogReader.self, folder).first?.title == "Other")
        try folder.remove("Streams.plist")
        #expect(try Reading.records(HLSCatalogReader.self, folder).first?.url == "https://h/master.m3u8")
    }

    @Test("whatever isn't complete, or isn't one stream in the clear, is unfinished")
    func incomplete() throws {
        #expect(try state([Stream()])?.state == .finished)
        let key = "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n"
        for stream in [
            Stream(isComplete: false), Stream(fragments: []), Stream(key: key), Stream(more: 1), Stream(lengths: [5]),
        ] {
            let record = try state([stream])
            #expect(record?.state == .unfinished && record?.fault == nil && record?.file == nil, "\(stream)")
        }
        #expect(try state([Stream(key: "#EXT-X-KEY:METHOD=NONE\n")])?.state == .finished)
        #expect(try state([Stream(), Stream(folder: "1-AUDIO-0")])?.state == .unfinished)
        #expect(try state([])?.state == .unfinished)
        for name in ["seg1.frag", "list.m3u8", "StreamInfoBoot.xml"] {
            #expect(try state([Stream()]) { try $0.remove("a.movpkg/0-ABC-310656/" + name) }?.state == .unfinished)
        }
        let linked = try state([Stream()]) { folder in
            try folder.move("a.movpkg/0-ABC-310656/seg1.frag", to: "elsewhere")
            try folder.link("a.movpkg/0-ABC-310656/seg1.frag", to: "../../elsewhere")
        }
        #expect(linked?.state == .unfinished)
    }

    @Test("packages that can't be read, or lead out of themselves, are faults of their own")
    func faults() throws {
        let fault = try state([Stream(folder: "../../x")])?.fault
        #expect(fault == .badPath("a.movpkg/../../x/StreamInfoBoot.xml"))
        let folder = TemporaryFolder()
        try package("a.movpkg", [Stream()], in: folder)
        try folder.make("b.movpkg")
        try folder.write("<HLSMoviePackage>", to: "c.movpkg/boot.xml")
        try folder.write("<other/>", to: "d.movpkg/boot.xml")
        try folder.write(
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><HLSMoviePackage>&b;</HLSMoviePackage>",
            to: "e.movpkg/boot.xml")
        try package("1/2/3/4/5/deep.movpkg", [Stream()], in: folder)
        #expect(
            try Reading.records(HLSCatalogReader.self, folder).map(\.fault) == [
                nil, .missing(field: "boot.xml"), .unreadable(path: "c.movpkg/boot.xml", .malformed),
                .unreadable(path: "d.movpkg/boot.xml", .foreign), .unreadable(path: "e.movpkg/boot.xml", .malformed),
            ])
    }

    @Test("the streams of the app's catalog are read in order, with what an entry lacks")
    func streams() throws {
        let folder = TemporaryFolder()
        let list: [Any] = [
            ["name": "A", "playlist_url": "https://h/a.m3u8", "is_protected": true] as [String: Any], ["name": "B"],
            ["playlist_url": "https://h/c.m3u8"], ["name": "D", "playlist_url": "file:///etc/passwd"], "text",
        ]
        try folder.write(PropertyListTests.bytes(list, .xml), to: "Streams.plist")
        let found = try HLSCatalogReader.streams(SourceFolder(folder.path.string))
        #expect(found.map(\.name) == ["A", "B", "", "D", ""])
        #expect(found.map(\.url) == ["https://h/a.m3u8", "", "https://h/c.m3u8", "", ""])
        #expect(found.map(\.isProtected) == [true, false, false, false, false])
        #expect(
            found.map(\.fault) == [
                nil, .missing(field: "playlist_url"), .missing(field: "name"), .unknownValue(field: "playlist_url"),
                .missing(field: "name"),
            ])
        #expect(try HLSCatalogReader.streams(SourceFolder(folder.at("Streams.plist").string)) == found)
        #expect(try Reading.records(HLSCatalogReader.self, folder).isEmpty)
        try folder.write("{a = 1;}", to: "Streams.plist")
        let path = folder.path.string + "/Streams.plist"
        #expect(throws: SourceProblem.badFormat(path: path, .foreign)) {
            try HLSCatalogReader.streams(SourceFolder(folder.path.string))
        }
        try folder.remove("Streams.plist")
        #expect(throws: SourceProblem.missing(path: path)) {
            try HLSCatalogReader.streams(SourceFolder(folder.path.string))
        }
        #expect(throws: SourceProblem.nothingFound(path: folder.path.string, expected: ["Streams.plist", "*.movpkg"])) {
            try Reading.records(HLSCatalogReader.self, folder)
        }
    }
}
