import Foundation
import Synchronization
import Testing

@testable import ProviderKit

@Suite("credentials that are renewed once")
struct RenewalTests {
    /// Its host takes each refresh token once.
    private final class Host: Sendable {
        private let state = Mutex((valid: 1, renewals: 0))

        var renewals: Int { state.withLock { $0.renewals } }

        func isGood(_ credentials: JSONValue) -> Bool {
            credentials["token"]?.int == state.withLock { Int64($0.valid) }
        }

        func renew(_ credentials: JSONValue) async throws(ProviderError) -> JSONValue {
            try? await Task.sleep(for: .milliseconds(30))
            let made = state.withLock { state -> Int? in
                guard credentials["token"]?.int == Int64(state.valid - 1) else { return nil }
                state.renewals += 1
                return state.valid
            }
            guard let made else { throw ProviderError(.authRequired, "the refresh token was used before") }
            return ["token": .int(Int64(made))]
        }

        /// The token of the newest credentials isn't taken any more.
        func expire() { state.withLock { $0.valid += 1 } }
    }

    private struct Lectures: Provider {
        let host: Host

        func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
            var credentials = request.credentials?.value ?? .null
            if !host.isGood(credentials) {
                let host = host
                let make: CredentialRenewals.Make = { old throws(ProviderError) in try await host.renew(old) }
                credentials = try await request.renewCredentials(make).value
            }
            guard request.video.id != "none" else { throw ProviderError(.notFound, "no such video") }
            return Resolution(url: "https://h/\(credentials["token"]?.int ?? 0)")
        }
    }

    private func line(_ id: Int, user: String, token: Int, video: String = "v", mayRenew: Bool = true) -> String {
        #"{"id":\#(id),"method":"resolve","params":{"user":"\#(user)","now":"2026-11-20T23:00:00Z","#
            + (mayRenew ? "" : #""renew":false,"#)
            + #""credentials":{"token":\#(token)},"video":{"id":"\#(video)","title":"","#
            + #""parameters":{"endpoint":"https://h/a"}},"course":{"id":"c","title":""}}}"#
    }

    private func answers(_ lines: [String], _ host: Host) async throws -> [JSONValue] {
        let pipe = Pipe()
        let server = PluginServer(
            provider: Lectures(host: host), output: PluginOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor))
        await withDiscardingTaskGroup { group in
            for line in lines { group.addTask { await server.serve(line) } }
        }
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        return try text.split(separator: "\n").map { try JSONReader.decode(JSONValue.self, from: $0.utf8) }
    }

    @Test("eight requests at a time renew them once, and each answer brings them, an error, too")
    func once() async throws {
        let (host, user) = (Host(), UUID().uuidString)
        host.expire()
        let lines = (0..<8).map { line($0, user: user, token: 1, video: $0 == 3 ? "none" : "v") }
        let found = try await answers(lines, host)
        #expect(host.renewals == 1 && found.count == 8)
        for answer in found {
            let place = answer["result"] ?? answer["error"]?["data"] ?? .null
            #expect(place["credentials"]?["token"] == 2, "\(answer)")
            if answer["id"] != 3 { #expect(answer["result"]?["url"] == "https://h/2") }
        }
        // One that was sent before the host knew; then the host has them, and isn't told again.
        let late = try await answers([line(9, user: user, token: 1)], host)
        #expect(late[0]["result"]?["credentials"]?["token"] == 2)
        let known = try await answers([line(10, user: user, token: 2)], host)
        #expect(known[0]["result"]?["credentials"] == nil && host.renewals == 1)
        host.expire()
        let again = try await answers([line(11, user: user, token: 2)], host)
        #expect(again[0]["result"]?["credentials"]?["token"] == 3 && host.renewals == 2)
    }

    @Test("an error of the renewal is everybody's, and the next request tries again")
    func failure() async throws {
        let (host, user) = (Host(), UUID().uuidString)
        host.expire()
        host.expire()
        let found = try await answers((0..<3).map { line($0, user: user, token: 1) }, host)
        #expect(found.allSatisfy { $0["error"]?["data"]?["kind"] == "auth_required" }, "\(found)")
        let other = try await answers([line(5, user: user, token: 2)], host)
        #expect(other[0]["result"]?["credentials"]?["token"] == 3, "\(other)")
    }

    @Test("a request that says so renews nothing, and uses what another one has renewed")
    func notItsTurn() async throws {
        let (host, user) = (Host(), UUID().uuidString)
        host.expire()
        let refused = try await answers((0..<3).map { line($0, user: user, token: 1, mayRenew: false) }, host)
        #expect(refused.allSatisfy { $0["error"]?["data"]?["kind"] == "renewal_needed" }, "\(refused)")
        #expect(host.renewals == 0)
        let renewed = try await answers([line(4, user: user, token: 1)], host)
        #expect(renewed[0]["result"]?["credentials"]?["token"] == 2)
        let found = try await answers([line(5, user: user, token: 1, mayRenew: false)], host)
        #expect(found[0]["result"]?["url"] == "https://h/2" && host.renewals == 1, "\(found)")
    }

    @Test("a request that may not begin a renewal takes part in one that is under way")
    func takesPart() async throws {
        let renewals = CredentialRenewals()
        let old = renewals.arrived(Secret(["token": 1]), of: "u")
        let (begun, beginning) = AsyncStream<Void>.makeStream()
        let (over, ending) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await renewals.renew(old, of: "u", at: "https://h") { _ throws(ProviderError) in
                beginning.finish()
                for await _ in over {}
                return ["token": 2]
            }
        }
        for await _ in begun {}
        let never: CredentialRenewals.Make = { _ throws(ProviderError) in
            throw ProviderError(.pluginFault, "renewed out of turn")
        }
        let second = Task { try await renewals.renew(old, of: "u", at: "https://h", mayBegin: false, never) }
        let elsewhere = await #expect(throws: ProviderError.self) {
            try await renewals.renew(old, of: "u", at: "https://other", mayBegin: false, never)
        }
        #expect(elsewhere?.kind == .renewalNeeded)
        ending.finish()
        #expect(try await first.value.value == ["token": 2])
        #expect(try await second.value.value == ["token": 2])
    }

    @Test("what two servers renew at a time ends in the same credentials")
    func servers() {
        var history = CredentialHistory()
        let first: JSONValue = ["a": ["t": 1], "b": ["t": 1], "user": "u"]
        #expect(history.arrived(first) == first)
        guard case .make(let base, let login) = history.begin(first, at: "a"),
            case .make(let other, _) = history.begin(first, at: "b")
        else {
            Issue.record("nothing to make")
            return
        }
        #expect(history.finish(["a": ["t": 2], "b": ["t": 1], "user": "u"], of: base, login: login, at: "a") != first)
        let both: JSONValue = ["a": ["t": 2], "b": ["t": 3], "user": "u"]
        #expect(history.finish(["a": ["t": 1], "b": ["t": 3], "user": "u"], of: other, login: login, at: "b") == both)
        #expect(history.newer(than: first) == both)
        guard case .isDone(both) = history.begin(first, at: "a") else {
            Issue.record("renewed twice")
            return
        }
    }

    @Test("another login's credentials aren't mixed with those before")
    func logins() {
        var history = CredentialHistory()
        _ = history.arrived(["t": 1])
        guard case .make(let base, let login) = history.begin(["t": 1], at: "a") else {
            Issue.record("nothing to make")
            return
        }
        #expect(history.arrived(["t": 7]) == ["t": 7])
        #expect(history.finish(["t": 2], of: base, login: login, at: "a") == ["t": 2])
        #expect(history.newest == ["t": 7] && history.newer(than: ["t": 1]) == nil)
        guard case .isForeign = history.begin(["t": 1], at: "a") else {
            Issue.record("an earlier login's were renewed for this one")
            return
        }
        #expect(history.arrived(.null) == .null && history.arrived(["t": 7]) == ["t": 7])
    }
}
