import ChildProcess
import Foundation
import Synchronization
import SystemPackage
import Testing

@Suite("pipes of children", .timeLimit(.minutes(2)))
struct ChildPipeTests {
    @Test("what is written is read, in pieces of a pipe's size, until the writing end is closed")
    func read() async throws {
        let pipe = try ChildPipe(.reads)
        let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let childEnd = pipe.childEnd
        let writer = Thread {
            _ = try? childEnd.writeAll(sent)
            pipe.started()
        }
        writer.start()
        let received = Received()
        await pipe.read { received.add($0) }
        #expect(received.bytes == sent)
    }

    @Test("a write waits for room, and ends early when the child closes its end")
    func write() async throws {
        let pipe = try ChildPipe(.writes)
        let writing = Task { await pipe.write([UInt8](repeating: 7, count: 1 << 20)) }
        var (taken, buffer) = (0, [UInt8](repeating: 0, count: 4096))
        while taken < 200 << 10 {
            taken += try buffer.withUnsafeMutableBytes { try pipe.childEnd.read(into: $0) }
        }
        pipe.started()
        let sent = await writing.value
        #expect(sent >= taken && sent < 1 << 20)
    }

    @Test("a cancelled write says what the pipe has taken")
    func cancelledWrite() async throws {
        let pipe = try ChildPipe(.writes)
        let writing = Task { await pipe.write([UInt8](repeating: 7, count: 1 << 20)) }
        try await Task.sleep(for: .milliseconds(20))
        writing.cancel()
        let sent = await writing.value
        pipe.finish()
        var (taken, buffer) = (0, [UInt8](repeating: 0, count: 4096))
        while case let count = try buffer.withUnsafeMutableBytes({ try pipe.childEnd.read(into: $0) }), count > 0 {
            taken += count
        }
        #expect(taken == sent)
    }

    @Test("a cancelled read returns with what has come, and doesn't wait for the rest")
    func cancelledRead() async throws {
        let pipe = try ChildPipe(.reads)
        let received = Received()
        let reading = Task { await pipe.read { received.add($0) } }
        _ = try pipe.childEnd.writeAll(Array("first".utf8))
        while received.bytes.isEmpty { await Task.yield() }
        reading.cancel()
        await reading.value
        #expect(received.bytes == Array("first".utf8))

        _ = try pipe.childEnd.writeAll(Array("last".utf8))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await pipe.read { received.add($0) }
        }
        await cancelled.value
        #expect(received.bytes == Array("firstlast".utf8))
    }

    @Test("an end that is closed while another pipe waits is closed for the child, too")
    func endOfInput() async throws {
        let (idle, pipe) = (try ChildPipe(.reads), try ChildPipe(.writes))
        let waiting = Task { await idle.read { _ in } }
        let writing = Task { await pipe.write([UInt8](repeating: 7, count: 1 << 20)) }
        try await Task.sleep(for: .milliseconds(20))
        writing.cancel()
        _ = await writing.value
        pipe.finish()
        // Returns 0 only when no descriptor of the writing end is open any more.
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while try buffer.withUnsafeMutableBytes({ try pipe.childEnd.read(into: $0) }) > 0 {}
        waiting.cancel()
        await waiting.value
    }

    @Test("pipes that come, wait and go on all threads at once")
    func manyAtOnce() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    for round in 0..<100 { try await Self.exchange(number * 100 + round) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A question and an answer, or a reader that is cancelled before the answer.
    private static func exchange(_ number: Int) async throws {
        let (stdin, stderr) = (try ChildPipe(.writes), try ChildPipe(.reads))
        let received = Received()
        let reading = Task { await stderr.read { received.add($0) } }
        let line = Array("line \(number)\n".utf8)
        #expect(await stdin.write(line) == line.count)
        stdin.finish()
        if number % 3 == 0 {
            await Task.yield()
            reading.cancel()
        } else {
            _ = try stderr.childEnd.writeAll(line)
            stderr.started()
        }
        await reading.value
        #expect(received.bytes == (number % 3 == 0 ? [] : line))
    }
}

private final class Received: Sendable {
    private let content = Mutex<[UInt8]>([])

    var bytes: [UInt8] { content.withLock { $0 } }

    func add(_ bytes: UnsafeRawBufferPointer) { content.withLock { $0.append(contentsOf: bytes) } }
}
