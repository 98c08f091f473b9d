import Foundation
import TestServers
import Testing

@testable import MediaTransfer

@Suite("Overlapping bytes of a resume") struct OverlapCheckTests {
    private func take(_ held: [UInt8], _ count: Int64, _ sent: [UInt8], step: Int) throws -> OverlapCheck? {
        let folder = try TestFolder()
        try folder.write("held", held)
        let descriptor = OwnedDescriptor(open(folder.path("held"), O_RDWR | O_CLOEXEC))
        var check = OverlapCheck(before: Int64(held.count), count: count)
        for start in stride(from: 0, to: sent.count, by: step) {
            try Array(sent[start..<min(sent.count, start + step)]).withUnsafeBytes { bytes in
                _ = try check?.take(bytes, from: descriptor)
            }
        }
        return check
    }

    @Test(
        "equal bytes match, in pieces of any size; the bytes after them aren't compared",
        arguments: [1, 7, 4096, 20_000])
    func equal(_ step: Int) throws {
        let held = Array(TestContent(seed: 1, size: 30_000).bytes(0..<30_000))
        let check = try #require(try take(held, 10_000, held.suffix(10_000) + [1, 2, 3], step: step))
        #expect(check.isDone && check.done == 10_000)
        #expect(try take(held, 10_000, Array(held.suffix(10_000).dropLast()), step: step)?.isDone == false)
        #expect(try take(held, 0, [1], step: step) == nil)
    }

    @Test("one different byte is another file; padding proves nothing, unless there is nothing else")
    func other() throws {
        var sent = Array(TestContent(seed: 1, size: 9000).bytes(0..<9000))
        let held = sent
        sent[8000] ^= 1
        #expect(throws: TransferFailure.identityChanged(.bytes)) { try take(held, 9000, sent, step: 500) }
        let zeros = [UInt8](repeating: 0, count: 9000)
        #expect(throws: TransferFailure.identityChanged(.bytes)) { try take(zeros, 8999, zeros.dropLast(), step: 500) }
        #expect(try take(zeros, 9000, zeros, step: 500)?.isDone == true)
    }
}
