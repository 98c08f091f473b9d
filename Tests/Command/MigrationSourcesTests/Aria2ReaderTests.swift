import FileSystem
import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import MigrationSources

@Suite("The source aria2", .serialized)
struct Aria2ReaderTests {
    /// A control file as aria2 writes it.
    static func control(
        version: UInt8 = 1, hash: [UInt8] = [], piece: UInt32 = 1 << 20, total: UInt64, field: [UInt8],
        unfinished: [(index: UInt32, length: UInt32, field: [UInt8])] = []
    ) -> [UInt8] {
        func bytes<T: FixedWidthInteger>(_ number: T) -> [UInt8] {
            withUnsafeBytes(of: version == 0 ? number.littleEndian : number.bigEndian) { Array($0) }
        }
        var all: [UInt8] = [0, version, 0, 0, 0, hash.isEmpty ? 0 : 1] + bytes(UInt32(hash.count)) + hash
        all += bytes(piece) + bytes(total) + bytes(UInt64(0)) + bytes(UInt32(field.count)) + field
        all += bytes(UInt32(unfinished.count))
        for piece in unfinished {
            all += bytes(piece.index) + bytes(piece.length) + bytes(UInt32(piece.field.count)) + piece.field
        }
        return all
    }

    private func read(_ bytes: [UInt8]) throws(FormatFault) -> Aria2Control {
        let result: Result<Aria2Control, FormatFault> = bytes.withUnsafeBytes { bytes in
            do throws(FormatFault) { return .success(try Aria2Control(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    @Test("the pieces before the first gap are what is proven", arguments: [0, 1] as [UInt8])
    func proven(version: UInt8) throws {
        for (field, proven) in [
            ([0], 0), ([0x40], 0), ([0x80], 1 << 20), ([0xA0], 1 << 20), ([0xC0], 2 << 20), ([0xE0], 3_000_000),
            ([0xFF], 3_000_000),
        ] as [([UInt8], Int64)] {
            let bytes = Self.control(
                version: version, total: 3_000_000, field: field, unfinished: [(2, 902_848, [0xFF, 0, 0, 0, 0, 0, 0])])
            #expect(try read(bytes).proven == proven)
            #expect(try read(bytes).total == 3_000_000)
        }
        let many = Self.control(version: version, total: 20 << 20, field: [0xFF, 0xFF, 0])
        #expect(try read(many).proven == 16 << 20)
    }

    @Test("a control file that contradicts itself is refused, wherever it ends")
    func faults() throws {
        let good = Self.control(
            total: 3_000_000, field: [0x80], unfinished: [(1, 1 << 20, [UInt8](repeating: 0, count: 8))])
        _ = try read(good)
        for end in good.indices { #expect(throws: FormatFault.truncated) { try read(Array(good[..<end])) } }
        for bad in [
            good + [0], Self.control(total: 3_000_000, field: [0x80, 0]), Self.control(piece: 0, total: 0, field: []),
            Self.control(total: 1 << 63, field: []), Self.control(hash: [1, 2, 3], total: 0, field: []),
            Self.control(total: 3_000_000, field: [0], unfinished: [(3, 1, [0])]),
        ] { #expect(throws: FormatFault.malformed) { try read(bad) } }
        #expect(throws: FormatFault.foreign) { try read([0, 2] + good.dropFirst(2)) }
        // A bit field of half the memory of the world isn't asked for.
        #expect(throws: FormatFault.truncated) {
            try read(Self.control(piece: 1, total: 1 << 34, field: []).dropLast(8) + [0x80, 0, 0, 0])
        }
    }

    @Test("a session has nothing that is finished: the lists beside it know the addresses of the files")
    func listsBeside() throws {
        let folder = TemporaryFolder()
        try folder.write("https://h/c/left.mp4\n gid=1\n", to: "aria2.session")
        try folder.write("https://h/c/done.mp4\nhttps://h/c/left.mp4\n", to: "input.txt")
        try folder.write("https://h/c/other.mp4\n out=named.mp4\nhttps://h/c/never.mp4\n", to: "urls.txt")
        for name in ["done.mp4", "named.mp4", "unknown.mp4", "left.mp4"] { try folder.write("12345", to: name) }
        let found = try Reading.records(Aria2Reader.self, folder)
        #expect(found.map(\.url) == ["https://h/c/left.mp4", "https://h/c/done.mp4", "https://h/c/other.mp4", nil])
        // The session has it, so that nothing tells that it is complete.
        #expect(found.map(\.state) == [.unproven, .finished, .finished, .finished])
        #expect(found[2].names.contains("https://h/c/other.mp4"))
    }

    @Test("a list's entries are finished, unfinished with their proven bytes, or not begun")
    func list() throws {
        let folder = TemporaryFolder()
        let elsewhere = "/nowhere/downloads"
        try folder.write(
            """
            # made by hand
            https://h/done%20one.mp4?x=1\thttps://mirror/done%20one.mp4
             gid=1
             checksum=sha-256=\(String(repeating: "0a", count: 32))
            https://h/x
            \tdir=\(folder.path.string)/sub
              out = half.mp4
            https://h/y
             dir=\(elsewhere)
             out=broken.mp4
            ftp://h/z.mp4
            https://h/empty.mp4
            https://h/folder/

            magnet:?xt=urn:btih:00
            /home/me/a.torrent
            https://h/w
             out=../../etc/passwd
            https://h/x
             dir=\(folder.path.string)/sub
             out=half.mp4

            """, to: "aria2.session")
        try folder.write("12345", to: "done one.mp4")
        try folder.write([UInt8](repeating: 1, count: 1_500_000), to: "sub/half.mp4")
        try folder.write(Self.control(total: 3_000_000, field: [0xC0]), to: "sub/half.mp4.aria2")
        try folder.write("1", to: "broken.mp4")
        try folder.write("", to: "broken.mp4.aria2")
        try folder.write("", to: "empty.mp4")
        let found = try Reading.records(Aria2Reader.self, folder, "aria2.session")
        let half = "\(folder.path.string)/sub/half.mp4"
        #expect(
            found.map(\.key) == [
                "https://h/done%20one.mp4?x=1", half, "\(elsewhere)/broken.mp4", "ftp://h/z.mp4", "https://h/empty.mp4",
                "https://h/folder/", "magnet:?xt=urn:btih:00", "/home/me/a.torrent", "../../etc/passwd", half,
            ])
        #expect(
            found.map(\.fault) == [
                nil, nil, nil, nil, nil, nil, .unknownValue(field: "infohash"), .unknownValue(field: "url"),
                .badPath("../../etc/passwd"), .repeated,
            ])
        #expect(found.map(\.state) == [.finished] + Array(repeating: .unfinished, count: 9))
        #expect(
            found[0].file
                == SourceFile(
                    path: "done one.mp4", sha256: Checksum(hex: String(repeating: "0a", count: 32))))
        #expect(
            found[0].names == [
                "https://h/done%20one.mp4?x=1", "https://mirror/done%20one.mp4", "done one.mp4", "done one",
            ])
        #expect(found[1].partial == SourcePartial(path: "sub/half.mp4", length: 1_500_000, total: 3_000_000))
        #expect(found[1].url == "https://h/x")
        #expect(found[2...5].allSatisfy { $0.partial == nil && $0.file == nil })
        #expect(found[3].url == nil)
        #expect(
            try Reading.open(Aria2Reader.self, folder, "aria2.session").storeFiles() == ["aria2.session"])
    }

    @Test("a folder has its control files and media, too")
    func folder() throws {
        let folder = TemporaryFolder()
        try folder.write("https://h/a.mp4\n", to: "session.txt")
        for (name, content) in [("a.mp4", [1]), ("b.mp4", [1, 2]), ("c.bin", [1]), ("d.txt", [1]), ("e.mkv", [])]
            as [(String, [UInt8])]
        {
            try folder.write(content, to: name)
        }
        try folder.write(Self.control(piece: 1, total: 8, field: [0xFF]), to: "c.bin.aria2")
        try folder.write(Self.control(total: 8, field: [0x80]), to: "gone.mp4.aria2")
        try folder.write(
            Self.control(hash: [UInt8](repeating: 1, count: 20), total: 8, field: [0x80]), to: "t.iso.aria2")
        try folder.write([0, 1, 3], to: "u.iso.aria2")
        let found = try Reading.records(Aria2Reader.self, folder)
        #expect(
            found.map(\.key) == ["https://h/a.mp4", "b.mp4", "c.bin", "e.mkv", "gone.mp4", "t.iso", "u.iso"])
        #expect(found.map(\.file?.path) == ["a.mp4", "b.mp4", nil, nil, nil, nil, nil])
        #expect(found[2].partial == SourcePartial(path: "c.bin", length: 1, total: 8))
        #expect(found[5].fault == .unknownValue(field: "infohash"))
        #expect(
            found[6].fault == .unreadable(path: folder.at("u.iso.aria2").string, .truncated))
        #expect(try Reading.open(Aria2Reader.self, folder).storeFiles().count == 5)
    }

    @Test("a link isn't followed, and a folder with nothing of it is refused")
    func links() throws {
        let (folder, other) = (TemporaryFolder(), TemporaryFolder())
        try other.write("secret", to: "x.mp4")
        try folder.link("x.mp4", to: other.at("x.mp4").string)
        try folder.link("y", to: other.path.string)
        #expect(
            throws: SourceProblem.nothingFound(
                path: folder.path.string,
                expected: ["*.aria2", "aria2.session", "session.txt", "input.txt", "downloads.txt"])
        ) { try Reading.open(Aria2Reader.self, folder) }
        try folder.write("https://h/x.mp4\nhttps://h/z\n out=y/x.mp4\n", to: "input.txt")
        let found = try Reading.records(Aria2Reader.self, folder)
        #expect(found.map(\.state) == [.unfinished, .unfinished])
        #expect(throws: SourceProblem.missing(path: folder.at("other.txt").string)) {
            try Reading.open(Aria2Reader.self, folder, "", SourceOptions(list: "other.txt"))
        }
    }

    @Test("an interrupted run of aria2 is read as it left it")
    func run() async throws {
        let tool = Tool(name: "aria2c", package: "aria2")
        try await tool.require()
        let server = try await NginxServer.start()
        let content = TestContent(seed: 7, size: 16 << 20)
        try server.add("big.mp4", content)
        try server.add("small one.mp4", TestContent(seed: 8, size: 5000))
        let folder = TemporaryFolder()
        try folder.write(
            """
            \(server.url("/limited/big.mp4?rate=2500k"))
             out=big.mp4
            \(server.url("/plain/small%20one.mp4"))

            """, to: "input.txt")
        // Interrupted once it has two of its pieces.
        let script = """
            cd "$0" || exit 1
            aria2c --no-conf -q -d "$0" -i input.txt --save-session aria2.session --file-allocation=none -s1 &
            for _ in $(seq 200); do
                if [ "$(stat -c %s big.mp4 2>/dev/null || echo 0)" -gt 2200000 ]; then break; fi
                sleep 0.05
            done
            kill -INT $!
            wait
            """
        _ = try await Tool(name: "sh", package: "dash").run(["-c", script, folder.path.string])
        withExtendedLifetime(server) {}
        let found = try Reading.records(Aria2Reader.self, folder, "input.txt")
        #expect(found.map(\.state) == [.unfinished, .finished])
        #expect(found.last?.file?.path == "small one.mp4")
        let partial = try #require(found.first?.partial)
        #expect(partial.path == "big.mp4")
        #expect(partial.total == 16 << 20)
        let length = try #require(partial.length)
        #expect(length >= 1 << 20 && length < 16 << 20)
        let bytes = try Data(contentsOf: URL(filePath: folder.at("big.mp4").string))
        #expect(Array(bytes.prefix(Int(length))) == Array(content.all.prefix(Int(length))))
        // Its own session has only the one that isn't finished.
        let saved = try Reading.records(Aria2Reader.self, folder, "aria2.session")
        #expect(saved.count == 1)
        #expect(saved.first?.partial == partial)
        #expect(try Reading.records(Aria2Reader.self, folder).map(\.state) == [.unfinished, .finished])
    }

    @Test("a list of 20,000 is read in one pass")
    func many() throws {
        let folder = TemporaryFolder()
        try folder.write((0..<20_000).map { "https://h/\($0).mp4\n out=f\($0).mp4\n" }.joined(), to: "input.txt")
        try folder.write("x", to: "f19999.mp4")
        var (count, finished) = (0, 0)
        try Reading.open(Aria2Reader.self, folder, "input.txt").read { record in
            count += 1
            if record.state == .finished { finished += 1 }
        }
        #expect((count, finished) == (20_000, 1))
    }
}
