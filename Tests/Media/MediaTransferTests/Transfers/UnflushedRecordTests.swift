import CPlatform
import Foundation
import Synchronization
import TestServers
import Testing

@testable import MediaTransfer

@Suite("Bytes that were written and not flushed")
struct UnflushedRecordTests {
    private let content = TestContent(seed: 5, size: 3_000_000)
    private let bench: Workbench
    private var path: String { bench.folder.path("unflushed") }

    init() throws { bench = try Workbench() }

    private func partial(
        _ record: UnflushedRecord, from length: Int, identity: @escaping @Sendable () -> [UInt8]? = { [7, 7] }
    ) throws -> PartialFile {
        try bench.folder.write("file.part", Array(content.all[..<length]))
        return try PartialFile(
            descriptor: bench.descriptor(), length: Int64(length), hashes: false,
            unflushed: .init(record, download: 42, identity: identity))
    }

    private func append(_ range: Range<Int>, to partial: PartialFile) throws {
        try content.all[range].withUnsafeBytes { try partial.append($0) }
    }

    private var found: [UnflushedBytes] { UnflushedRecord.bytes(at: path) }

    private func isProven(_ bytes: UnflushedBytes) throws -> Bool {
        let descriptor = OwnedDescriptor(try bench.descriptor())
        return bytes.isProven(by: descriptor.raw)
    }

    @Test("the sum is CRC-32C, whatever the pieces are")
    func sum() {
        #expect(cf_crc32c(0, "123456789", 9) == 0xE306_9283)
        #expect(cf_crc32c(0, [UInt8](repeating: 0, count: 32), 32) == 0x8A91_36AA)
        #expect(cf_crc32c(0, [UInt8](repeating: 0xFF, count: 32), 32) == 0x62A8_AB43)
        let bytes = Array(content.all[..<5000])
        let whole = cf_crc32c(0, bytes, bytes.count)
        for size in [1, 3, 7, 8, 9, 64, 4999] {
            var sum: UInt32 = 0
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = Array(bytes[start..<min(start + size, bytes.count)])
                sum = cf_crc32c(sum, piece, piece.count)
            }
            #expect(sum == whole)
        }
    }

    @Test("they are known after a kill, and proven by the partial; one other byte, or a missing one, isn't")
    func proof() throws {
        let record = try #require(UnflushedRecord(path: path))
        let partial = try partial(record, from: 1000)
        for start in stride(from: 1000, to: 2_000_000, by: 99_950) {
            try append(start..<min(start + 99_950, 2_000_000), to: partial)
        }
        let bytes = try #require(found.first)
        #expect(found.count == 1 && bytes.download == 42 && bytes.identity == [7, 7])
        #expect(bytes.start == 1000 && bytes.end == 2_000_000)
        #expect(try isProven(bytes))
        var other = Array(content.all[..<2_000_000])
        other[999] ^= 1
        try bench.folder.write("file.part", other)
        #expect(try isProven(bytes), "bytes that were flushed need no proof")
        other[1_500_000] ^= 1
        try bench.folder.write("file.part", other)
        #expect(try !isProven(bytes))
        try bench.folder.write("file.part", Array(content.all[..<1_999_999]))
        #expect(try !isProven(bytes))
        withExtendedLifetime(partial) {}
    }

    @Test("what is flushed begins anew; starting over and the partial's end leave nothing")
    func flushed() throws {
        let record = try #require(UnflushedRecord(path: path))
        do {
            let partial = try partial(record, from: 0)
            try append(0..<600_000, to: partial)
            #expect(try partial.flush() == 600_000)
            try append(600_000..<700_000, to: partial)
            let bytes = try #require(found.first)
            #expect(bytes.start == 600_000 && bytes.end == 700_000)
            #expect(try isProven(bytes))
            try partial.startOver()
            #expect(found.isEmpty)
            try append(0..<300_000, to: partial)
            #expect(found.first?.start == 0 && found.first?.end == 300_000)
        }
        #expect(found.isEmpty)
    }

    @Test("a small partial isn't recorded, nor one whose server has said nothing yet")
    func small() throws {
        let record = try #require(UnflushedRecord(path: path))
        let partial = try partial(record, from: 0)
        try append(0..<65_536, to: partial)
        #expect(found.isEmpty)
        try append(65_536..<70_000, to: partial)
        #expect(found.first?.end == 70_000)
        let said = Mutex<[UInt8]?>(nil)
        let silent = try self.partial(record, from: 0) { said.withLock { $0 } }
        try append(0..<500_000, to: silent)
        #expect(found.count == 1)
        said.withLock { $0 = [1] }
        try append(500_000..<500_001, to: silent)
        #expect(found.count == 2 && found.last?.end == 500_001 && found.last?.identity == [1])
        withExtendedLifetime(partial) {}
    }

    @Test("those of another boot, torn ones and other files say nothing")
    func others() throws {
        let (here, there) = try (boot("1"), boot("2"))
        var bytes = UnflushedBytes(download: 1, inode: 2, from: 3)
        bytes.identity = [4, 5]
        let slot = UnsafeMutableRawBufferPointer.allocate(byteCount: UnflushedBytes.slot, alignment: 8)
        defer { slot.deallocate() }
        let count = bytes.encode(into: slot, boot: here)
        let written = UnsafeRawBufferPointer(rebasing: slot[..<count])
        #expect(UnflushedBytes(written, boot: here) == bytes)
        #expect(UnflushedBytes(written, boot: there) == nil)
        for size in 0..<count {
            #expect(UnflushedBytes(UnsafeRawBufferPointer(rebasing: slot[..<size]), boot: here) == nil)
        }
        for index in 0..<count {
            slot[index] ^= 0x10
            #expect(UnflushedBytes(written, boot: here) == nil, "\(index)")
            slot[index] ^= 0x10
        }
        try bench.folder.write("unflushed", (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        #expect(found.isEmpty && UnflushedRecord.bytes(at: "/nowhere").isEmpty)
        // What has the name is replaced, never written to, and never waited for.
        try bench.folder.write("precious", [1, 2, 3])
        for (name, make) in [
            ("link", { symlink(bench.folder.path("precious"), $0) }),
            ("name", { link(bench.folder.path("precious"), $0) }), ("pipe", { mkfifo($0, 0o600) }),
        ] as [(String, (String) -> Int32)] {
            let path = bench.folder.path(name)
            #expect(make(path) == 0)
            #expect(UnflushedRecord.bytes(at: path).isEmpty)
            let partial = try partial(#require(UnflushedRecord(path: path)), from: 0)
            try append(0..<100_000, to: partial)
            #expect(UnflushedRecord.bytes(at: path).count == 1, "\(name)")
        }
        #expect(try bench.folder.read("precious") == [1, 2, 3])
        #expect(mkdir(bench.folder.path("folder"), 0o700) == 0)
        #expect(UnflushedRecord(path: bench.folder.path("folder")) == nil)
    }

    private func boot(_ digit: Character) throws -> BootID {
        try #require(BootID(String(repeating: digit, count: 32).utf8))
    }
}
