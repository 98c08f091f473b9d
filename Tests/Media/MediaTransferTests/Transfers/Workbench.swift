import Foundation
import MediaTransfer
import TestServers
import Testing

/// An engine and a folder of one test's own, and what every transfer test needs of them.
final class Workbench: Sendable {
    let engine: TransferEngine
    let folder: TestFolder

    init(_ change: (inout TransferConfiguration) -> Void = { _ in }) throws {
        var configuration = TransferConfiguration()
        change(&configuration)
        engine = TransferEngine(configuration: configuration)
        folder = try TestFolder()
    }

    /// A new partial that begins with these bytes.
    func partial(_ name: String = "file.part", holding bytes: [UInt8] = [], hashes: Bool = true) throws -> PartialFile {
        try folder.write(name, bytes)
        return try PartialFile(descriptor: descriptor(name), length: Int64(bytes.count), hashes: hashes)
    }

    /// The file of a partial, open anew.
    func descriptor(_ name: String = "file.part") throws -> Int32 {
        let descriptor = open(folder.path(name), O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        return descriptor
    }

    func fetch(
        _ url: String, into partial: PartialFile, progress: TransferProgress? = nil,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) async -> TransferReport {
        var request = TransferRequest(url: url)
        change(&request)
        return await engine.fetch(request, into: partial, progress: progress)
    }

    /// Fetches into a fresh partial, and expects this outcome and nothing on disk but a prefix of the content.
    @discardableResult func expect(
        _ url: String, _ content: TestContent, at offset: Int = 0, _ condition: ResumeCondition = .checksum,
        knowsTotal: Bool = true, fails failure: TransferFailure?, written: Int? = nil,
        sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout TransferRequest) -> Void = { _ in }
    ) async throws -> TransferReport {
        let partial = try partial(holding: content.bytes(0..<offset))
        let report = await fetch(url, into: partial) { request in
            if offset > 0 {
                request.start = .resume(
                    at: Int64(offset), total: knowsTotal ? Int64(content.size) : nil, condition: condition)
            }
            change(&request)
        }
        #expect(report.failure == failure, sourceLocation: sourceLocation)
        #expect(report.length == partial.length, sourceLocation: sourceLocation)
        #expect(report.received == partial.length - Int64(offset), sourceLocation: sourceLocation)
        let bytes = try folder.read("file.part")
        #expect(bytes.count == Int(partial.length), sourceLocation: sourceLocation)
        #expect(bytes == content.bytes(0..<bytes.count), sourceLocation: sourceLocation)
        if failure == nil {
            #expect(try await partial.sha256() == content.sha256, sourceLocation: sourceLocation)
        }
        if let written { #expect(report.received == Int64(written), sourceLocation: sourceLocation) }
        return report
    }

    func finish() async {
        await engine.shutDown()
    }
}

/// Waits until something holds that another thread brings about; fails after ten seconds.
func until(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) async throws {
    for _ in 0..<2000 {
        if try condition() { return }
        try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record(what, sourceLocation: sourceLocation)
}
