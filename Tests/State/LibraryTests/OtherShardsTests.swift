import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

@Suite("What the shards of a library see of each other")
struct OtherShardsTests {
    private struct Line: Codable, Equatable {
        var n: Int
        var text = String(repeating: "x", count: 1000)
    }

    let temporary = TemporaryFolder()
    let me = LockHolder(host: "here", pid: 1, since: Date(timeIntervalSince1970: 0), catalogs: [], user: "alice")

    private func shard(_ number: Int) throws -> LibraryFolder {
        try LibraryFolder.open(
            temporary.at("library"), expecting: .new(LibraryID(rawValue: "one")),
            owner: LibraryOwner(user: "alice", host: "here"),
            part: LibraryPart(name: "\(number)-of-2", count: 2))
    }

    @Test("of two shards one claims a video, until it lets go; then nothing of the claim is left")
    func claims() throws {
        let first = try #require(OtherShards(of: shard(1)))
        let second = try #require(OtherShards(of: shard(2)))
        var claim = try first.claim("v", as: me)
        #expect(claim != nil)
        #expect(try second.claim("v", as: me) == nil)
        #expect(try first.claim("v", as: me) == nil, "nor does it claim it twice")
        #expect(try second.claim("w", as: me) != nil)
        claim = nil
        #expect(!temporary.has("library/.coursefetch/claims/v"))
        claim = try second.claim("v", as: me)
        #expect(claim != nil)
        #expect(try first.claim("v", as: me) == nil)
    }

    @Test("what isn't a file can't be claimed, and leads nowhere")
    func links() throws {
        let others = try #require(OtherShards(of: shard(1)))
        try temporary.make("library/.coursefetch/claims/folder")
        try temporary.write("mine", to: "mine")
        try temporary.link("library/.coursefetch/claims/link", to: temporary.at("mine").string)
        #expect(throws: LibraryError.self) { try others.claim("folder", as: me) }
        #expect(throws: LibraryError.self) { try others.claim("link", as: me) }
        #expect(temporary.read("mine") == "mine")
    }

    @Test("a library without shards has nothing in common, and a shard without a folder no list")
    func none() throws {
        #expect(try OtherShards(of: shard(1))?.list(of: "2-of-2") as FileList<Line>? == nil)
        let other = try LibraryFolder.open(
            temporary.at("other"), expecting: .new(LibraryID(rawValue: "two")),
            owner: LibraryOwner(user: "alice", host: "here"))
        #expect(OtherShards(of: other) == nil)
    }

    @Test("another shard's list is read on where the last reading ended, and from the start if it was written again")
    func lists() throws {
        let own = FileList<Line>(of: try shard(1))
        let seen = try #require(try OtherShards(of: shard(2))?.list(of: "1-of-2") as FileList<Line>?)
        var mark = FileListMark()
        func read() throws -> [Int] {
            var found: [Int] = []
            mark = try seen.read(after: mark) { found.append($0.n) }.mark
            return found
        }
        #expect(try read() == [])
        _ = try own.replace { write in for n in 0..<600 { try write(Line(n: n)) } }
        #expect(try read() == Array(0..<600))
        #expect(try read() == [])
        let writer = try own.open()
        for n in 600..<603 { try writer.append(Line(n: n)) }
        try writer.flush()
        #expect(try read() == [600, 601, 602])
        // Half a line: it is read once it is whole.
        let path = temporary.at("library/.coursefetch/shards/1-of-2/files.jsonl").string
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"n":603,"#.utf8))
        #expect(try read() == [])
        try file.write(contentsOf: Data(#""text":"y"}"#.utf8 + [10]))
        #expect(try read() == [603])
        _ = try own.replace { write in for n in 0..<700 { try write(Line(n: n)) } }
        #expect(try read() == Array(0..<700))
    }

    @Test("a list that was written again into a file of the same number isn't read on from the middle")
    func sameNumber() throws {
        let own = FileList<Line>(of: try shard(1))
        _ = try own.replace { write in for n in 0..<50 { try write(Line(n: n)) } }
        let mark = try own.read { (_: Line) in }.mark
        let path = "library/.coursefetch/shards/1-of-2/files.jsonl"
        let header = try #require(temporary.read(path)).prefix { $0 != "\n" }
        let text = String(repeating: "z", count: 1100)
        let lines = (100..<200).map { #"{"n":\#($0),"text":"\#(text)"}"# }
        let file = try FileHandle(forWritingTo: URL(filePath: temporary.at(path).string))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(([String(header)] + lines).map { $0 + "\n" }.joined().utf8))
        var found: [Int] = []
        _ = try own.read(after: mark) { found.append($0.n) }
        #expect(found == Array(100..<200))
    }

    @Test("of a list of a later version nothing is read, at a second look either")
    func laterVersion() throws {
        let own = FileList<Line>(of: try shard(1))
        _ = try own.replace { try $0(Line(n: 1)) }
        let path = "library/.coursefetch/shards/1-of-2/files.jsonl"
        let text = try #require(temporary.read(path))
        #expect(text.contains(#""version":1"#))
        try temporary.write(text.replacing(#""version":1"#, with: #""version":99"#), to: path)
        var mark = FileListMark()
        for _ in 0..<2 {
            let reading = try own.read(after: mark) { (_: Line) in Issue.record("it is read") }
            #expect(reading.isNewer && reading.lines == 0)
            mark = reading.mark
        }
        // It is read from the beginning once this version understands it.
        try temporary.write(text, to: path)
        #expect(try own.read(after: mark) { (_: Line) in }.lines == 1)
    }
}
