import Foundation
import MediaTransfer
import Synchronization
import TestServers
import Testing

@Suite("the quota of all transfers", .timeLimit(.minutes(5)))
struct QuotaTests {
    private let content = TestContent(seed: 3, size: 600_000)

    /// How often it was told.
    private final class Count: Sendable {
        private let value = Atomic(0)
        var now: Int { value.load(ordering: .sequentiallyConsistent) }
        func add() { value.add(1, ordering: .sequentiallyConsistent) }
    }

    @Test("a used-up quota is reported once, and no transfer takes more until it is cancelled; that is no stall")
    func usedUp() async throws {
        let host = try await FaultHost.start()
        let told = Count()
        let quota = TransferQuota(limit: 1_000_000) { told.add() }
        let bench = try Workbench { $0.quota = quota }
        let fetches = (0..<4).map { index in
            Task { [content] in
                let partial = try bench.partial("\(index)", hashes: false)
                let report = await bench.fetch(host.url(content), into: partial) {
                    $0.stallTimeout = .milliseconds(2000) * Patience.factor
                }
                return (report, try bench.folder.read("\(index)"))
            }
        }
        try await until("it is used up") { told.now > 0 }
        // Longer than the stall's time.
        try await Task.sleep(for: .milliseconds(3000) * Patience.factor)
        let received = quota.received
        #expect(received >= quota.limit && received < quota.limit + 100_000)
        for fetch in fetches { fetch.cancel() }
        var written: Int64 = 0
        for fetch in fetches {
            let (report, bytes) = try await fetch.value
            #expect(report.failure == nil || report.failure == .cancelled)
            #expect(bytes == content.bytes(0..<bytes.count))
            written += report.received
        }
        #expect(written == received && quota.received == received && told.now == 1)
        await bench.finish()
        await host.stop()
    }

    @Test("responses that aren't kept count, too")
    func refusals() async throws {
        let host = try await FaultHost.start()
        let quota = TransferQuota(limit: 1 << 30) {}
        let bench = try Workbench { $0.quota = quota }
        let report = try await bench.expect(host.url(content), content, fails: nil)
        #expect(quota.received == report.received)
        try await bench.expect(host.url("/media/1/9000.mp4?status=404"), content, fails: .refused(status: 404, .status))
        #expect(quota.received > report.received)
        await bench.finish()
        await host.stop()
    }
}
