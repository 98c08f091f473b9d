import Foundation
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("Slow and closed readers")
struct OutputChannelTests {
    /// Both ends of a new pipe.
    private static func pipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Foundation.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    /// Everything that comes out of a descriptor, read beside the caller.
    private static func contents(_ descriptor: Int32) async -> String {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                let data = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile()
                done.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    @Test("while nobody reads, callers go on; only droppable events are dropped, and the order stays")
    func slowReader() async throws {
        let (reader, writer) = try Self.pipe()
        let channel = OutputChannel()
        let count = 20_000
        for index in 0..<count {
            channel.send(Array("progress \(index)\n".utf8), to: writer, isDroppable: true)
            channel.send(Array("kept \(index) \(String(repeating: "x", count: 40))\n".utf8), to: writer)
        }
        async let text = Self.contents(reader)
        await channel.flush()
        close(writer)
        let lines = await text.split(separator: "\n")
        let kept = lines.filter { $0.hasPrefix("kept") }.compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(kept.map(String.init) == (0..<count).map(String.init))
        let progress = lines.count { $0.hasPrefix("progress") }
        #expect(progress > 0 && progress < count)
    }

    @Test("failed writes are known afterwards")
    func fullDisk() async throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let channel = OutputChannel()
        channel.line("lost", to: full)
        await channel.flush()
        #expect(channel.failure(of: full) == ENOSPC)
    }

    @Test("a closed reader costs nothing and doesn't affect the other stream")
    func goneReader() async throws {
        signal(SIGPIPE, SIG_IGN)
        let (reader, writer) = try Self.pipe()
        let (otherReader, otherWriter) = try Self.pipe()
        close(reader)
        let channel = OutputChannel()
        for index in 0..<1000 {
            channel.line("lost \(index)", to: writer)
            channel.line("told \(index)", to: otherWriter)
        }
        async let text = Self.contents(otherReader)
        await channel.flush()
        close(otherWriter)
        close(writer)
        #expect(await text == (0..<1000).map { "told \($0)\n" }.joined())
        #expect(channel.failure(of: writer) == nil, "it has had enough: that is no error")
    }
}
