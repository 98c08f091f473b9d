import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("servers that misbehave")
struct FaultTests {
    /// A video of the fault host, what is wrong with it, and more lines for the catalog.
    struct Case: CustomTestStringConvertible {
        var name: String
        var query: String
        var size = 400_000
        var answer = ""
        var extra: [String] = []
        /// Where the way in is not the medium itself.
        var url: String?
        /// The kind of its failure; nil where it has to arrive.
        var kind: String?
        var status: Int?
        var testDescription: String { name }

        init(
            _ name: String, _ query: String, size: Int = 400_000, answer: String = "", extra: [String] = [],
            url: String? = nil, fails kind: String? = nil, status: Int? = nil
        ) {
            self.name = name
            self.query = query
            self.size = size
            self.answer = answer
            self.extra = extra
            self.url = url
            self.kind = kind
            self.status = status
        }
    }

    static let arriving = [
        Case("cut", "cut=100000&times=1"),
        Case("reset", "reset=100000&times=1"),
        Case("cut ten times", "cut=35000&times=10"),
        Case("another version from the second request on", "etag=change&cut=100000&times=1"),
        Case("another ETag for each connection", "etag=connection&cut=90000&times=2"),
        Case("another ETag for each request", "etag=request&cut=90000&times=2"),
        Case("a weak ETag", "etag=weak&cut=90000&times=2"),
        Case("no validators at all", "etag=none&modified=none&cut=90000&times=2"),
        Case("ranges are ignored", "range=ignore&cut=100000&times=2"),
        Case("ranges begin elsewhere", "range=shift&cut=100000&times=2"),
        Case("ranges are cut short", "range=short&cut=100000&times=2"),
        Case("ranges are of another total", "range=total&cut=100000&times=2"),
        Case("ranges have no Content-Range", "range=none&cut=100000&times=2"),
        Case("ranges come as multipart", "range=multipart&cut=100000&times=2"),
        Case("ranges are refused with 416", "range=416&cut=100000&times=2"),
        Case("resumed pieces say they are compressed", "gzip&cut=100000&times=1"),
        Case("every range is compressed", "cut=100000&times=1&part=gzip"),
        Case("every range has two ranges", "cut=100000&times=1&part=twice"),
        Case("every range is a page", "cut=100000&times=1&part=page"),
        Case("every range is nothing", "cut=100000&times=1&part=204"),
        Case("chunked", "length=chunked"),
        Case("chunked, and then parts without a total", "length=chunked&cut=100000&range=star&cap=90000"),
        Case("chunked, and then parts that end before they should", "length=chunked&cut=100000&range=early&times=2"),
        Case("more bytes than promised", "extra=1000&times=1"),
        Case("three redirects", "", url: "/redirect/3?to=/media/{id}/{size}.mp4"),
        Case("early hints", "informational=3"),
        Case("a slow start", "rate=200000"),
        Case("500 once", "status=500&times=1"),
        Case(
            "a token", "token=canary-s3cr3t",
            answer: "token: {value: canary-s3cr3t, in: header, name: Authorization, prefix: \"Bearer \"}"),
    ]

    @Test("with occasional transfer faults the right file arrives, and no byte of a wrong response")
    func arriving() async throws {
        let (stage, outcome, host) = try await sync(Self.arriving, ["--jobs", "8"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        for (index, test) in Self.arriving.enumerated() {
            let content = Self.content(index, test)
            let finished = outcome.events("download_finished", of: "\(content.seed)")
            #expect(finished.count == 1, "\(test.name)")
            #expect(finished.first?.sha256 == content.sha256Text, "\(test.name)")
            let digest = finished.first?.path.flatMap { LibraryFiles(stage.library).digests[$0] }
            #expect(digest == content.sha256Text, "\(test.name)")
            // A cut is an attempt that did arrive somewhere; nobody gives up on it.
            #expect(outcome.events("download_failed", of: "\(content.seed)").isEmpty, "\(test.name)")
        }
        #expect(try stage.strays() == [])
        #expect(!(outcome.output + outcome.error).contains("canary-s3cr3t"))
        for file in ["state.sqlite", "state.sqlite-wal"] {
            for name in stage.folder.names() where name.hasSuffix(file) {
                let bytes = FileManager.default.contents(atPath: stage.folder.at(name).string) ?? Data()
                #expect(bytes.range(of: Data("canary-s3cr3t".utf8)) == nil, "\(name)")
            }
        }
        await host.stop()
    }

    static let failing = [
        Case("an HTML page", "type=text/html", fails: "not_media"),
        Case("a JSON page", "type=application/json", fails: "not_media"),
        Case("403 for ever", "status=403", fails: "url_refused", status: 403),
        Case("404 for ever", "status=404", fails: "url_refused", status: 404),
        Case("410 for ever", "status=410", fails: "url_refused", status: 410),
        Case("400", "status=400", fails: "http_status", status: 400),
        Case("cut short for ever", "cut=1000&etag=none&modified=none", fails: "truncated"),
        Case("a length that never comes true", "length=lie", fails: "identity_changed"),
        Case("more than the catalog's size", "", extra: ["size: 399999"], fails: "size_mismatch"),
        Case("less than the catalog's size", "", extra: ["size: 400001"], fails: "size_mismatch"),
        Case(
            "another checksum", "", extra: ["sha256: \(String(repeating: "5", count: 64))"], fails: "checksum_mismatch"),
        Case("an empty body", "", size: 0, fails: "truncated"),
        Case("two lengths", "double=content-length", fails: "network"),
        Case("a redirect loop", "", url: "/redirect/loop", fails: "url_refused"),
        Case("compressed for ever", "gzip&cut=1000", fails: "network"),
        Case("a server that speaks no HTTP", "raw=nonsense", fails: "network"),
    ]

    @Test("a permanent fault fails with its kind, leaves no file, and isn't requested endlessly")
    func failing() async throws {
        let (stage, outcome, host) = try await sync(Self.failing, ["--jobs", "8", "--retries", "2"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        for (index, test) in Self.failing.enumerated() {
            let content = Self.content(index, test)
            let failed = outcome.events("download_failed", of: "\(content.seed)")
            #expect(failed.count == 1, "\(test.name)")
            #expect(failed.first?.error?.kind == test.kind, "\(test.name): \(failed.first?.text ?? "")")
            if let status = test.status { #expect(failed.first?.error?.status == status, "\(test.name)") }
            let requests = host.requests().filter { $0.path.hasPrefix("/media/\(content.seed)/") }
            #expect(requests.count <= 6, "\(test.name)")
        }
        #expect(LibraryFiles(stage.library).paths == [])
        #expect(Set(try stage.stateCopy().states().values) == ["failed"])
        await host.stop()
    }

    @Test("a URL that is refused while fresh is resolved once more, and the plugin gets the reason")
    func refusedFresh() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let content = TestContent(seed: 7, size: 50_000)
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url(content, "status=410&times=1"),
                videos: [
                    .init(id: "good-again"),
                    .init(id: "never", extra: ["parameters: {url: \"\(host.url(content, "status=403"))\"}"]),
                ]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(outcome.events("resolved", of: "good-again").map(\.reason) == ["first", "rejected"])
        #expect(outcome.events("download_finished", of: "good-again").first?.sha256 == content.sha256Text)
        let requests = try stage.requests()
        let told = requests.filter { $0.params.video.id == "good-again" }.map(\.params.previous)
        #expect(told == [nil, .init(reason: "rejected", status: 410, bytes: 0)])

        #expect(outcome.events("resolved", of: "never").map(\.reason) == ["first", "rejected"])
        let failed = outcome.events("download_failed", of: "never")
        #expect(failed.map(\.error?.kind) == ["url_refused"])
        #expect(failed.map(\.error?.status) == [403])
        #expect(failed.first?.error?.message.contains("?") == false)
        await host.stop()
    }

    @Test("a link that expires in the middle of a file is resolved again, and the bytes are kept")
    func expiryMidFile() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let content = TestContent(seed: 7, size: 900_000)
        // Each link is good for 400,000 bytes.
        try stage.catalog(
            CatalogText(
                provider: "recorder", url: host.url(content, "expire=400000&link={n}"), videos: [.init(id: "v")]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").first?.sha256 == content.sha256Text)
        #expect(outcome.events("resolved").map(\.reason) == ["first", "rejected", "rejected"])
        #expect(outcome.summary?.bytes == content.size)
        let told = try stage.requests().map(\.params.previous)
        #expect(
            told == [
                nil, .init(reason: "rejected", status: 410, bytes: 400_000),
                .init(reason: "rejected", status: 410, bytes: 800_000),
            ])
        let served = host.requests().filter { $0.status < 400 }
        #expect(served.map(\.rangeStart) == [nil, 400_000, 800_000])
        #expect(served.dropFirst().allSatisfy { $0.fields["if-range"] == "\"7-900000\"" })
        await host.stop()
    }

    @Test("a new link to another version of the file starts over; no file mixes two versions")
    func anotherVersion() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let last = TestContent(seed: 3, size: 500_000)
        let links = [
            host.url("/media/1/500000.mp4?expire=200000"), host.url("/media/2/500000.mp4?expire=200000"),
            host.url(last),
        ]
        try stage.catalog(
            CatalogText(
                provider: "recorder",
                parameters: ["urls": "[\(links.map(CatalogText.quoted).joined(separator: ", "))]"],
                videos: [.init(id: "v")]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").first?.sha256 == last.sha256Text)
        #expect(Array(LibraryFiles(stage.library).digests.values) == [last.sha256Text])
        await host.stop()
    }

    @Test("429 with Retry-After pauses the whole host for that long, and then everything arrives")
    func tooManyRequests() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...6).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(
            CatalogText(url: host.url("/media/{id}/20000.mp4?status=429&retry-after=2&times=1"), videos: videos))
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "2"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("host_waiting").first?.host == "127.0.0.1")
        #expect(outcome.events("download_finished").count == 6)
        #expect(outcome.events("resolved").allSatisfy { $0.reason == "first" }, "429 is not the link's fault")
        #expect(outcome.seconds >= 2)
        await host.stop()
    }

    @Test("also with --retries 1, a host and its video wait for as long as Retry-After says")
    func lastAttempt() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/20000.mp4?status=503&retry-after=7200"),
                videos: [.init(id: "1"), .init(id: "2")]))
        let now = Date()
        func isInTwoHours(_ text: String?) throws -> Bool {
            let date = try Date(try #require(text), strategy: .iso8601)
            // From the start of the sync to now, whatever the machine has done in between; times are told in seconds.
            return now + 7199 <= date && date <= Date() + 7201
        }
        let outcome = try await stage.sync("catalog.yaml", ["--retries", "1", "--jobs", "1", "--max-wait", "1s"])
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(try isInTwoHours(outcome.events("download_failed").first?.retryAt), "\(outcome.report)")
        #expect(try isInTwoHours(outcome.events("host_waiting").first?.until), "\(outcome.report)")
        #expect(host.requests().count == 1, "the other one isn't asked for")
        let status = try await stage.command(["status", "--json"])
        #expect(status.output.contains(#""retry_at""#), "\(status.output)")
        // A slot doesn't wait long for the answer of the first one.
        let failed = try #require(outcome.events("download_failed").first?.video)
        let again = try await stage.sync("catalog.yaml", ["--only", "c/*/\(failed)", "--retries", "1"])
        #expect(again.exit == 1 && host.requests().count == 1, "\(again.report)")
        await host.stop()
    }

    @Test("a host whose name isn't ASCII, from the catalog to the library")
    func internationalName() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = "http://bücher.localhost:\(host.port)/media/{id}/20000.mp4"
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(Array(LibraryFiles(stage.library).digests.values) == [TestContent(seed: 1, size: 20000).sha256Text])
        #expect(host.requests().allSatisfy { $0.fields["host"] == "xn--bcher-kva.localhost:\(host.port)" })
        await host.stop()
    }

    // MARK: what they share

    static func content(_ index: Int, _ test: Case) -> TestContent {
        TestContent(seed: UInt64(index + 1), size: test.size)
    }

    /// One sync of all cases; the id of each is its seed.
    private func sync(_ cases: [Case], _ options: [String]) async throws -> (Stage, Outcome, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let videos = cases.enumerated().map { index, test in
            let content = Self.content(index, test)
            let url =
                test.url.map { host.url($0.replacing("{size}", with: "\(test.size)")) } ?? host.url(content, test.query)
            let parameters = "parameters: {url: \(CatalogText.quoted(url)), answer: {\(test.answer)}}"
            return CatalogText.Video(id: "\(content.seed)", title: test.name, extra: [parameters] + test.extra)
        }
        try stage.catalog(CatalogText(provider: "recorder", videos: videos))
        return (stage, try await stage.sync("catalog.yaml", options, limit: 90), host)
    }
}
