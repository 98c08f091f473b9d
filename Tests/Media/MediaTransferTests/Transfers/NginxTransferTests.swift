import Foundation
import MediaTransfer
import TestServers
import Testing

@Suite struct NginxTransferTests {
    private let content = TestContent(seed: 1, size: 3_000_001)

    @Test("a file arrives complete, with its metadata and its checksum")
    func whole() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let progress = TransferProgress()
        let partial = try bench.partial()
        let report = await bench.fetch(server.url("/plain/a.mp4"), into: partial, progress: progress)
        #expect(report.failure == nil)
        #expect(report.received == 3_000_001)
        #expect(progress.received == 3_000_001)
        let head = try #require(report.head)
        #expect(progress.head == head)
        #expect(head.status == 200)
        #expect(head.total == 3_000_001)
        #expect(head.contentType == "video/mp4")
        #expect(head.etag != nil)
        #expect(head.origin.host == "127.0.0.1")
        let skew = try #require(head.skew)
        #expect(abs(skew / .seconds(1)) < 3)
        #expect(try partial.flush() == 3_000_001)
        partial.startWriteback()
        partial.close()
        #expect(try await partial.sha256() == content.sha256)
        #expect(try bench.folder.read("file.part") == content.all)
        await bench.finish()
        await server.stop()
    }

    @Test("a partial is completed with the validator of the first answer, and no byte is sent twice")
    func resume() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let partial = try bench.partial()
        // Cancelled in the middle.
        let progress = TransferProgress()
        let task = Task {
            await bench.fetch(server.url("/limited/a.mp4?rate=1000000"), into: partial, progress: progress)
        }
        try await until("bytes arrive") { progress.received > 200_000 }
        task.cancel()
        let first = await task.value
        #expect(first.failure == .cancelled)
        #expect(first.length < 3_000_001)
        #expect(first.length == partial.length)
        // Closed in between, like a download that waits for its next attempt.
        partial.close()
        #expect(!partial.isOpen)
        try partial.reopen(descriptor: bench.descriptor())
        let etag = try #require(first.head?.etag)
        let second = await bench.fetch(server.url("/plain/a.mp4"), into: partial) {
            $0.start = .resume(at: first.length, total: first.head?.total, condition: .etag(etag))
        }
        #expect(second.failure == nil)
        #expect(second.head?.status == 206)
        #expect(second.received == 3_000_001 - first.length)
        #expect(try await partial.sha256() == content.sha256)
        #expect(try bench.folder.read("file.part") == content.all)
        await bench.finish()
        await server.stop()
        // nginx may write the cancelled request's line after this one.
        let lines = try server.log().filter { $0.path.hasPrefix("/plain/") }
        #expect(lines.count == 1)
        let last = try #require(lines.first)
        #expect(last.status == 206)
        // Its tags are made of time and size.
        let overlap = min(Int(first.length), 16_384)
        #expect(last.rangeStart == Int(first.length) - overlap)
        #expect(last.ifRange == etag)
        #expect(last.bytes == Int(second.received) + overlap)
    }

    @Test("a file that has changed on the server is not continued")
    func changed() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", TestContent(seed: 2, size: 10_000))
        let url = server.url("/plain/a.mp4")
        try await bench.expect(
            url, content, at: 5_000, .etag("\"of-another-file\""), fails: .rangeIgnored, written: 0)
        try await bench.expect(url, content, at: 5_000, .checksum, fails: .identityChanged(.total), written: 0)
        await bench.finish()
        await server.stop()
    }

    @Test("an expired URL, a bad signature and a missing token are refused URLs, with their status")
    func refusals() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench()
        try server.add("a.mp4", content)
        let expired = server.signedURL("/signed/a.mp4", expires: Date().addingTimeInterval(-10))
        try await bench.expect(expired, content, fails: .refused(status: 410, .status), written: 0)
        let good = server.signedURL("/signed/a.mp4", expires: Date().addingTimeInterval(60))
        let bad = good.replacing("md5=", with: "md5=x")
        try await bench.expect(bad, content, fails: .refused(status: 403, .status), written: 0)
        try await bench.expect(server.url("/plain/none"), content, fails: .refused(status: 404, .status), written: 0)
        try await bench.expect(server.url("/token/a.mp4"), content, fails: .refused(status: 401, .status), written: 0)
        try await bench.expect(good, content, fails: nil)
        try await bench.expect(server.url("/token/a.mp4"), content, fails: nil) { request in
            let field = HTTPField(name: "Authorization", value: "Bearer canary-token")
            request.secrets = [ScopedSecret(.field(field), for: [server.baseURL].compactMap { URLScope(prefix: $0) })]
        }
        await bench.finish()
        await server.stop()
    }

    @Test("many small files share few connections")
    func reuse() async throws {
        let server = try await NginxServer.start()
        let bench = try Workbench { $0.connectionsPerHost = 4 }
        for index in 0..<40 { try server.add("\(index)", TestContent(seed: UInt64(index), size: 20_000)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let partial = try bench.partial("\(index).part")
                    let report = await bench.fetch(server.url("/plain/\(index % 40)"), into: partial)
                    #expect(report.failure == nil)
                    #expect(
                        try await partial.sha256() == TestContent(seed: UInt64(index % 40), size: 20_000).sha256)
                    partial.close()
                }
            }
            try await group.waitForAll()
        }
        await bench.finish()
        await server.stop()
        let log = try server.log()
        #expect(log.count == 200)
        #expect(Set(log.map(\.connection)).count <= 4)
    }

    @Test("TLS: refused without the CA file, verified with it")
    func tls() async throws {
        let folder = try TestFolder()
        var options = NginxServer.Options()
        let certificate = try await TestCertificate(in: folder)
        options.certificate = certificate
        let server = try await NginxServer.start(options)
        try server.add("a.mp4", content)
        let stranger = try Workbench()
        try await stranger.expect(server.url("/plain/a.mp4"), content, fails: .tls(.certificate), written: 0)
        await stranger.finish()
        let friend = try Workbench { $0.caFile = certificate.certificate }
        try await friend.expect(server.url("/plain/a.mp4"), content, fails: nil)
        // Held back, which over TLS leaves decrypted bytes in libcurl's hands.
        try await friend.expect(server.url("/plain/a.mp4"), content, fails: nil) { $0.limitRate = 4_000_000 }
        let down = server.url("/redirect?to=http://127.0.0.1:\(server.port)/plain/a.mp4")
        try await friend.expect(down, content, fails: .redirect(.downgrade), written: 0)
        await friend.finish()
        let broken = try Workbench { $0.caFile = folder.path("missing.pem") }
        try await broken.expect(server.url("/plain/a.mp4"), content, fails: .tls(.caFile), written: 0)
        await broken.finish()
        await server.stop()
    }

    @Test("TLS: a trusted certificate for another name is refused")
    func tlsName() async throws {
        var options = NginxServer.Options()
        let folder = try TestFolder()
        let certificate = try await TestCertificate(in: folder, names: "DNS:elsewhere.example,IP:127.0.0.9")
        options.certificate = certificate
        let server = try await NginxServer.start(options)
        try server.add("a.mp4", content)
        let bench = try Workbench { $0.caFile = certificate.certificate }
        try await bench.expect(server.url("/plain/a.mp4"), content, fails: .tls(.certificate), written: 0)
        await bench.finish()
        await server.stop()
    }

    @Test("TLS: connections at the same time share one session")
    func tlsSession() async throws {
        var options = NginxServer.Options()
        let folder = try TestFolder()
        let certificate = try await TestCertificate(in: folder)
        options.certificate = certificate
        // With 1.3 libcurl 7.88 now and then drops a session that is still good.
        options.tlsProtocols = "TLSv1.2"
        let server = try await NginxServer.start(options)
        try server.add("a.mp4", content)
        let bench = try Workbench { $0.caFile = certificate.certificate }
        try await bench.expect(server.url("/single/a.mp4"), content, fails: nil)
        await withTaskGroup(of: TransferFailure?.self) { group in
            for index in 0..<4 {
                group.addTask {
                    guard let partial = try? bench.partial("\(index)") else { return .stalled }
                    return await bench.fetch(server.url("/single/a.mp4"), into: partial).failure
                }
            }
            for await failure in group { #expect(failure == nil) }
        }
        await bench.finish()
        await server.stop()
        let log = try server.log()
        #expect(log.count == 5)
        #expect(Set(log.map(\.connection)).count == 5)
        #expect(log.filter(\.isSessionReused).count == 4)
    }

    @Test("plain HTTP to a TLS port fails, and the other way round")
    func wrongScheme() async throws {
        let folder = try TestFolder()
        var options = NginxServer.Options()
        options.certificate = try await TestCertificate(in: folder)
        let server = try await NginxServer.start(options)
        let bench = try Workbench()
        let plain = server.url("/plain/a.mp4").replacing("https", with: "http")
        let report = await bench.fetch(plain, into: try bench.partial())
        #expect(report.failure?.verdict == .resolveAgain)
        #expect(report.length == 0)
        let host = try await FaultHost.start()
        let secure = host.url(content).replacing("http", with: "https")
        try await bench.expect(secure, content, fails: .tls(.handshake), written: 0)
        await bench.finish()
        await host.stop()
        await server.stop()
    }

    @Test("a proxy that cuts every connection costs attempts, and no byte is sent twice")
    func cuts() async throws {
        let server = try await NginxServer.start()
        try server.add("a.mp4", content)
        let proxy = try await CuttingProxy.start(
            upstream: server.port, cut: .milliseconds(100)...(.milliseconds(400)), seed: 7)
        let bench = try Workbench()
        let partial = try bench.partial()
        let url = "\(proxy.baseURL)/limited/a.mp4?rate=300000"
        var report = await bench.fetch(url, into: partial)
        var attempts = 1
        var known: String?
        while let failure = report.failure, attempts < 100 {
            #expect(failure.verdict == .retry)
            known = known ?? report.head?.etag
            let etag = try #require(known)
            let length = report.length
            report = await bench.fetch(url, into: partial) {
                if length > 0 { $0.start = .resume(at: length, total: 3_000_001, condition: .etag(etag)) }
            }
            attempts += 1
        }
        #expect(report.failure == nil)
        #expect(try await partial.sha256() == content.sha256)
        #expect(attempts > 2)
        #expect(proxy.cuts >= attempts - 1)
        await bench.finish()
        await proxy.stop()
        await server.stop()
        let starts = try server.log().map { $0.rangeStart ?? 0 }
        #expect(starts == starts.sorted())
    }
}
