import Foundation
import MediaTransfer
import TestServers
import Testing

@Suite struct FlowTransferTests {
    private let content = TestContent(seed: 8, size: 1_000_000)

    @Test("a transfer keeps its rate, and throttling is no stall")
    func limitRate() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        // Three chunks, with more than the stall's time between them.
        let small = TestContent(seed: 9, size: 49_152)
        let report = try await bench.expect(host.url(small), small, fails: nil) {
            $0.limitRate = 12_288
            $0.stallTimeout = .milliseconds(900)
        }
        #expect(report.seconds > 2.4)
        #expect(report.seconds < 10)
        await bench.finish()
        await host.stop()
    }

    @Test("all transfers together keep the bandwidth, share it, and follow its changes")
    func bandwidth() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench { $0.bandwidth = 200_000 }
        let progresses = (0..<4).map { _ in TransferProgress() }
        let started = ContinuousClock.now
        let freed = try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, progress) in progresses.enumerated() {
                group.addTask {
                    let partial = try bench.partial("\(index)")
                    let report = await bench.fetch(host.url(content), into: partial, progress: progress)
                    #expect(report.failure == nil)
                    #expect(try await partial.sha256() == content.sha256)
                }
            }
            // From when all of them are there.
            try await until("all have begun") { progresses.allSatisfy { $0.received > 0 } }
            let before = progresses.map(\.received)
            try await until("they go on") { progresses.map(\.received).reduce(0, +) >= before.reduce(0, +) + 300_000 }
            let seconds = (ContinuousClock.now - started) / .seconds(1)
            #expect(seconds > 1)
            let shares = zip(progresses, before).map { $0.received - $1 }
            #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 4 * 16_384)
            bench.engine.setBandwidth(nil)
            let freed = ContinuousClock.now
            try await group.waitForAll()
            return freed
        }
        // The rest of 4 MB would have taken 18 s.
        #expect((ContinuousClock.now - freed) / .seconds(1) < 12)
        await bench.finish()
        await host.stop()
    }

    @Test("a bandwidth set during a transfer applies from then on")
    func bandwidthSet() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let content = TestContent(seed: 8, size: 4_000_000)
        let (progress, partial) = (TransferProgress(), try bench.partial())
        let task = Task { await bench.fetch(host.url(content, "rate=1000000"), into: partial, progress: progress) }
        try await until("bytes arrive") { progress.received > 0 }
        bench.engine.setBandwidth(1)
        // Whatever is on its way when the command is posted may still be written.
        try await Task.sleep(for: .milliseconds(300))
        let held = progress.received
        try await Task.sleep(for: .milliseconds(300))
        #expect(progress.received <= held + 16_384)
        #expect(progress.received < 4_000_000)
        bench.engine.setBandwidth(nil)
        #expect(await task.value.failure == nil)
        #expect(try await partial.sha256() == content.sha256)
        await bench.finish()
        await host.stop()
    }

    @Test("cancelling at any moment ends at once and leaves a valid prefix")
    func cancelling() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        for round in 0..<60 {
            let partial = try bench.partial()
            let task = Task { await bench.fetch(host.url(content, "rate=20000000"), into: partial) }
            try await Task.sleep(for: .microseconds(round * 150))
            task.cancel()
            let report = await task.value
            #expect(report.failure == .cancelled || report.failure == nil)
            let bytes = try bench.folder.read("file.part")
            #expect(bytes == content.bytes(0..<Int(report.length)))
        }
        await bench.finish()
        await host.stop()
    }

    @Test("an engine that is shut down ends running transfers and refuses new ones")
    func shutDown() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        let (progress, partial) = (TransferProgress(), try bench.partial())
        let task = Task { await bench.fetch(host.url(content, "stall=1000"), into: partial, progress: progress) }
        try await until("bytes arrive") { progress.received == 1000 }
        await bench.engine.shutDown()
        let report = await task.value
        #expect(report.failure == .shutDown)
        #expect(report.length == 1000)
        #expect(await bench.fetch(host.url(content), into: partial).failure == .shutDown)
        await bench.engine.shutDown()
        await TransferEngine().shutDown()
        await host.stop()
    }

    @Test("a host at its limit doesn't delay another one")
    func hosts() async throws {
        let (busy, free) = (try await FaultHost.start(), try await FaultHost.start())
        let bench = try Workbench { $0.connectionsPerHost = 2 }
        func begin(_ numbers: Range<Int>) throws -> [Task<TransferReport, Never>] {
            try numbers.map { index in
                let partial = try bench.partial("busy\(index)")
                return Task { await bench.fetch(busy.url(content, "stall=1000"), into: partial) }
            }
        }
        // These two hold the places, whatever order tasks begin in.
        var tasks = try begin(0..<2)
        try await until("two are there") { busy.requests().count == 2 }
        tasks += try begin(2..<6)
        try await bench.expect(free.url(content), content, fails: nil)
        #expect(busy.requests().count == 2)
        // A place that becomes free is taken.
        tasks.first?.cancel()
        try await until("one more") { busy.requests().count == 3 }
        #expect(busy.connections == 3)
        tasks.forEach { $0.cancel() }
        for task in tasks { #expect(await task.value.failure == .cancelled) }
        await bench.finish()
        await busy.stop()
        await free.stop()
    }

    @Test("a host that can't be reached is a network failure")
    func unreachable() async throws {
        let bench = try Workbench()
        // Nobody listens at port 1.
        try await bench.expect("http://127.0.0.1:1/", content, fails: .network(.cannotConnect), written: 0)
        try await bench.expect("http://no-such-host.invalid/", content, fails: .network(.unknownHost), written: 0)
        try await bench.expect(
            "ftp://h/", content, fails: .invalidRequest("the URL isn't an absolute http or https URL"), written: 0)
        await bench.finish()
    }

    @Test("invalid requests are not sent")
    func defects() async throws {
        let host = try await FaultHost.start()
        let bench = try Workbench()
        for field in [
            HTTPField(name: "X", value: "a\r\nInjected: b"), HTTPField(name: "X:", value: ""),
            HTTPField(name: "", value: "x"),
        ] {
            try await bench.expect(
                host.url(content), content, fails: .invalidRequest("a header field is malformed"), written: 0
            ) { $0.fields = [field] }
        }
        let partial = try bench.partial(holding: [1, 2, 3])
        #expect(
            await bench.fetch(host.url(content), into: partial).failure
                == .invalidRequest("the partial isn't as long as the request says"))
        #expect(host.requests().isEmpty)
        // What is this room's alone can't be overruled, and an empty value is sent.
        try await bench.expect(host.url(content), content, fails: nil) { request in
            request.fields = [
                HTTPField(name: "Range", value: "bytes=5-"), HTTPField(name: "Accept-Encoding", value: "gzip"),
                HTTPField(name: "If-Range", value: "x"), HTTPField(name: "X-Empty", value: ""),
            ]
        }
        let fields = try #require(host.requests().first).fields
        #expect(fields["range"] == nil)
        #expect(fields["if-range"] == nil)
        #expect(fields["accept-encoding"] == "identity")
        #expect(fields["x-empty"] == "")
        await bench.finish()
        await host.stop()
    }

    @Test("the usual proxy variables are used, and no_proxy too")
    func proxy() async throws {
        // The environment is a process's own, so a process of its own.
        await #expect(processExitsWith: .success) {
            let host = try await FaultHost.start()
            setenv("http_proxy", "http://user:canary@127.0.0.1:\(host.port)", 1)
            setenv("no_proxy", "127.0.0.1", 1)
            let content = TestContent(seed: 8, size: 100_000)
            let bench = try Workbench()
            let far = await bench.fetch("http://media.invalid/media/8/100000.mp4", into: try bench.partial())
            precondition(far.failure == nil && far.length == 100_000)
            precondition(far.head?.origin.host == "media.invalid")
            precondition(host.requests().first?.target == "http://media.invalid/media/8/100000.mp4")
            precondition(host.requests().first?.fields["proxy-authorization"] != nil)
            let near = await bench.fetch(host.url(content), into: try bench.partial())
            precondition(near.failure == nil)
            precondition(host.requests().last?.target == "/media/8/100000.mp4")
            let secure = await bench.fetch("https://media.invalid/x", into: try bench.partial())
            precondition(secure.failure == .network(.unknownHost))
            // Names that only the proxy could resolve, and a proxy that refuses to connect.
            setenv("https_proxy", "http://127.0.0.1:\(host.port)", 1)
            let tunnel = await bench.fetch("https://media.invalid/x", into: try bench.partial())
            precondition(tunnel.failure == .network(.proxyRefused(status: 404)))
            await bench.finish()
        }
    }
}
