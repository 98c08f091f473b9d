import Checkout
import Foundation
import ProviderKit
import Subprocess
import Testing

@testable import ProviderHost
@testable import demo

/// The demo's host, asked by a real client.
@Suite struct DemoTests {
    private struct Answer {
        var status = ""
        var headers: [String: String] = [:]
        var body = Data()
        var isComplete = false
    }

    /// Asks with curl, which also tells what arrived before a connection broke.
    private func get(_ url: String, _ fields: [String], _ options: [String] = []) async throws -> Answer {
        let result = try await Subprocess.run(
            .name("curl"),
            arguments: Arguments(["-sS", "-i", "--max-time", "20"] + options + fields.flatMap { ["-H", $0] } + [url]),
            output: .data(limit: 1 << 22), error: .discarded)
        let data = result.standardOutput
        let end = data.range(of: Data("\r\n\r\n".utf8)) ?? data.endIndex..<data.endIndex
        let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var answer = Answer(body: Data(data[end.upperBound...]), isComplete: result.terminationStatus.isSuccess)
        answer.status = lines.first.map { String($0.dropFirst(9).prefix(3)) } ?? ""
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.headers[parts[0].lowercased()] = parts.last.map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return answer
    }

    /// - Parameter now: the time of the request; a link to a video lives for two seconds from then on.
    private func resolve(_ provider: PluginProvider, _ file: String, now: Date = .now) async throws
        -> (Resolution, field: String)
    {
        let got = try await provider.resolve(.video("v", ["file": .string(file)], now: now))
        return (got, "\(got.token?.name ?? ""): \(got.token?.prefix ?? "")\(got.token?.value ?? "")")
    }

    private func media(_ name: String) throws -> Data {
        try Data(contentsOf: Checkout.root.appending(path: "Plugins/demo/media/\(name)"))
    }

    @Test("a link is cut off, an expired one answers 410, and a fresh one continues where it stopped")
    func expiry() async throws {
        let plugin = try #require(BundledPluginTests.registry().plugins["demo"])
        let whole = try media("waves.mp4")
        try await Sandbox().run(plugin) { provider in
            // A busy machine may take longer than such a link lives.
            let later = Date.now.addingTimeInterval(120)
            let (first, field) = try await resolve(provider, "waves", now: later)
            let began = ContinuousClock.now
            let start = try await get(first.url, [field])
            #expect(ContinuousClock.now - began > .seconds(DemoProvider.lifetime), "a link of now would have expired")
            #expect(first.size == Int64(whole.count))
            #expect(start.status == "200")
            #expect(!start.isComplete)
            #expect(start.body == whole.prefix(start.body.count))
            #expect(start.body.count < whole.count && start.body.count > whole.count / 2)

            let expired = try await resolve(provider, "waves", now: .now.addingTimeInterval(-2)).0
            #expect(try await get(expired.url, [field]).status == "410")
            let etag = try #require(start.headers["etag"])
            let second = try await resolve(provider, "waves", now: later.addingTimeInterval(1)).0
            #expect(second.url != first.url)
            let rest = try await get(second.url, [field, "Range: bytes=\(start.body.count)-", "If-Range: \(etag)"])
            #expect(rest.status == "206")
            #expect(rest.isComplete)
            #expect(rest.headers["etag"] == etag)
            #expect(rest.headers["content-range"] == "bytes \(start.body.count)-\(whole.count - 1)/\(whole.count)")
            #expect(start.body + rest.body == whole)
        }
    }

    @Test("without the token 401, a forged link 403, another file 404; ranges as in RFC 9110; sidecars are offered")
    func statuses() async throws {
        let plugin = try #require(BundledPluginTests.registry().plugins["demo"])
        try await Sandbox().run(plugin) { provider in
            let (got, field) = try await resolve(provider, "pendulum")
            let cover = try #require(got.cover)
            let picture = try media("pendulum.jpg")
            #expect(try await get(cover, []).status == "401")
            #expect(try await get(cover, ["Authorization: Bearer x"]).status == "401")
            #expect(try await get(cover.replacing("signature=", with: "signature=0"), [field]).status == "403")
            #expect(try await get(cover.replacing("expires=1", with: "expires=2"), [field]).status == "403")
            #expect(try await get(cover.replacing("pendulum.jpg", with: "waves.jpg"), [field]).status == "403")
            #expect(try await get(cover.replacing("pendulum.jpg", with: "passwd"), [field]).status == "404")
            #expect(try await get(cover, [field], ["-X", "DELETE"]).status == "405")
            let whole = try await get(cover, [field])
            #expect(whole.body == picture)
            #expect(whole.headers["content-type"] == "image/jpeg")
            let head = try await get(cover, [field], ["--head"])
            #expect(head.headers["content-length"] == "\(picture.count)")
            for (range, status, bytes) in [
                ("bytes=0-0", "206", picture.prefix(1)), ("bytes=-5", "206", picture.suffix(5)),
                ("bytes=10-99999999", "206", picture.dropFirst(10)), ("bytes=99999999-", "416", Data()),
                ("bytes=5-4", "200", picture), ("bytes=0-1,3-4", "200", picture), ("pages=1-2", "200", picture),
            ] {
                let part = try await get(cover, [field, "Range: \(range)"])
                #expect(part.status == status, "\(range)")
                #expect(part.body == bytes, "\(range)")
            }
            let changed = try await get(cover, [field, "Range: bytes=5-", "If-Range: \"other\""])
            #expect(changed.status == "200")
            #expect(changed.body == picture)

            let subtitle = try #require(got.subtitles.first)
            #expect(try await get(subtitle.url, [field]).body.starts(with: Data("WEBVTT".utf8)))
            let notes = try #require(got.attachments.first)
            #expect(try await get(notes.url, [field]).body.starts(with: Data("%PDF".utf8)))
            #expect(
                await failure(provider, .video("v", ["file": "nothing"]))?.message
                    == "there is no video 'nothing'; there are fractal, life, pendulum, spectrum, tides, waves")
        }
    }
}
