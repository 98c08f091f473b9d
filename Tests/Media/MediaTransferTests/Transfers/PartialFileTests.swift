import Foundation
import MediaTransfer
import TestServers
import Testing

@Suite struct PartialFileTests {
    private let content = TestContent(seed: 3, size: 2_500_000)

    @Test("takes the valid prefix, and hashes it once")
    func prefix() async throws {
        let bench = try Workbench()
        try bench.folder.write("file.part", content.all + [1, 2, 3])
        let partial = try PartialFile(descriptor: bench.descriptor(), length: 2_500_000, hashes: true)
        #expect(partial.length == 2_500_000)
        #expect(try bench.folder.read("file.part").count == 2_500_000)
        #expect(try await partial.sha256() == content.sha256)
        // Nothing is read again that has been hashed: the bytes can change underneath.
        try bench.folder.write("other", [])
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.folder.path("file.part")))
        try file.write(contentsOf: Data([9, 9, 9]))
        try file.close()
        #expect(try await partial.sha256() == content.sha256)
        partial.close()
        #expect(try await partial.sha256() == content.sha256)
    }

    @Test("refuses a file that is shorter than it should be")
    func short() throws {
        let bench = try Workbench()
        try bench.folder.write("file.part", [1, 2, 3])
        #expect(throws: FileError.shorter(than: 4, size: 3)) {
            try PartialFile(descriptor: bench.descriptor(), length: 4, hashes: false)
        }
        let partial = try bench.partial(holding: [1, 2, 3])
        partial.close()
        partial.close()
        try bench.folder.write("file2.part", [1, 2, 3])
        #expect(throws: FileError.replaced) { try partial.reopen(descriptor: bench.descriptor("file2.part")) }
        #expect(throws: FileError.closed) { try partial.flush() }
        #expect(throws: FileError.closed) { try partial.startOver() }
        #expect(truncate(bench.folder.path("file.part"), 2) == 0)
        #expect(throws: FileError.shorter(than: 3, size: 2)) { try partial.reopen(descriptor: bench.descriptor()) }
        #expect(!partial.isOpen)
    }

    @Test("closes its descriptor, whatever is being hashed")
    func descriptors() async throws {
        let bench = try Workbench()
        let partial = try bench.partial(holding: content.all)
        let path = bench.folder.path("file.part")
        partial.close()
        #expect(try await partial.sha256() == content.sha256)
        try await until("no descriptor is left") {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").allSatisfy {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) != path
            }
        }
    }

    @Test("starting over forgets bytes and digest")
    func startOver() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let other = TestContent(seed: 4, size: 700_000)
        let partial = try bench.partial(holding: other.all)
        try partial.startOver()
        #expect(partial.length == 0)
        #expect(try bench.folder.read("file.part").isEmpty)
        #expect(await bench.fetch(host.url(content), into: partial).failure == nil)
        #expect(try await partial.sha256() == content.sha256)
        await bench.finish()
        await host.stop()
    }

    @Test("without a checksum none is computed")
    func noChecksum() async throws {
        let bench = try Workbench()
        #expect(try await bench.partial(holding: [1], hashes: false).sha256() == nil)
        let empty = try await bench.partial("empty").sha256()
        #expect(empty == TestContent(seed: 1, size: 0).sha256)
    }

    @Test("a file that can't be read back is an error, not another checksum")
    func unreadable() async throws {
        let bench = try Workbench()
        try bench.folder.write("file.part", [1, 2, 3])
        let descriptor = open(bench.folder.path("file.part"), O_WRONLY)
        let partial = try PartialFile(descriptor: descriptor, length: 3, hashes: true)
        await #expect(throws: FileError.system(operation: "pread", errno: EBADF)) { try await partial.sha256() }
    }

    @Test("a flush that failed once fails permanently")
    func flush() throws {
        // Nothing can be made durable there.
        let partial = try PartialFile(descriptor: open("/dev/null", O_RDWR), length: 0, hashes: false)
        let failure = FileError.system(operation: "fdatasync", errno: EINVAL)
        #expect(throws: failure) { try partial.flush() }
        #expect(throws: failure) { try partial.flush() }
    }

    @Test("a full disk is reported as the disk's error, and the bytes that arrived stay valid")
    func fullDisk() async throws {
        // A limit of the process, so a process of its own.
        await #expect(processExitsWith: .success) {
            let content = TestContent(seed: 3, size: 2_500_000)
            let host = try await FaultHost.start()
            let bench = try Workbench()
            let partial = try bench.partial()
            var limit = rlimit(rlim_cur: 1_000_000, rlim_max: 1_000_000)
            precondition(setrlimit(__rlimit_resource_t(1), &limit) == 0)
            let report = await bench.fetch(host.url(content), into: partial)
            precondition(report.failure == .file(errno: EFBIG))
            precondition(report.length == 1_000_000)
            let bytes = try bench.folder.read("file.part")
            precondition(bytes == content.bytes(0..<1_000_000))
        }
    }

    @Test("one transfer at a time")
    func exclusive() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let (partial, progress) = (try bench.partial(), TransferProgress())
        let task = Task { await bench.fetch(host.url(content, "stall=0"), into: partial, progress: progress) }
        try await until("it runs") { progress.head != nil }
        #expect(
            await bench.fetch(host.url(content), into: partial).failure
                == .invalidRequest("another transfer writes to the partial"))
        task.cancel()
        _ = await task.value
        partial.close()
        #expect(await bench.fetch(host.url(content), into: partial).failure == .file(errno: EBADF))
        await bench.finish()
        await host.stop()
    }
}
