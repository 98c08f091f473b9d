import MediaTransfer
import TestServers
import Testing

@Suite("into memory") struct MemoryTransferTests {
    private let content = TestContent(seed: 5, size: 300_000)

    /// The host's behaviour, the request, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        var query = ""
        var range: Range<Int64>?
        var maxSize: Int64?
        var failure: TransferFailure?
        /// Bytes that must be there.
        var received: Range<Int>

        var testDescription: String { "\(query) \(range.map { "\($0)" } ?? "whole")" }
    }

    private static let cases: [Case] = [
        Case(received: 0..<300_000),
        Case(query: "length=chunked", failure: .lengthUnknown(framed: true), received: 0..<300_000),
        Case(range: 100_000..<150_000, received: 100_000..<150_000),
        Case(range: 299_999..<300_000, received: 299_999..<300_000),
        Case(range: 0..<1, received: 0..<1),
        Case(range: 299_000..<301_000, failure: .rangeMismatch(.otherOffset), received: 0..<0),
        Case(query: "range=ignore", range: 100_000..<150_000, failure: .rangeIgnored, received: 0..<0),
        Case(query: "range=shift", range: 100_000..<150_000, failure: .rangeMismatch(.otherOffset), received: 0..<0),
        Case(
            query: "cut=100000", failure: .truncated(received: 100_000, expected: 300_000), received: 0..<100_000),
        Case(query: "status=403", failure: .refused(status: 403, .status), received: 0..<0),
        Case(maxSize: 299_999, failure: .tooLong(.maximum), received: 0..<0),
        Case(query: "length=chunked", maxSize: 1000, failure: .tooLong(.maximum), received: 0..<1000),
        Case(range: 5..<5, failure: .invalidRequest("the range is empty"), received: 0..<0),
    ]

    @Test("a whole file or a range of it arrives unchanged, or the error says why not", arguments: cases)
    func fetch(_ row: Case) async throws {
        let host = try await FaultHost.start()
        let engine = TransferEngine()
        var request = TransferRequest(url: host.url("/media/5/300000.mp4?\(row.query)"))
        if let range = row.range { request.start = .range(range) }
        request.maxSize = row.maxSize
        let buffer = BodyBuffer()
        let report = await engine.fetch(request, into: buffer)
        #expect(report.failure == row.failure)
        #expect(report.received == row.received.count && report.length == row.received.count)
        let expected = content.bytes(row.received)
        #expect(buffer.take() == expected)
        #expect(buffer.count == 0)
        await engine.shutDown()
        await host.stop()
    }
}
