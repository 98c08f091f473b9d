import Foundation
import ProviderKit
import Synchronization
import Testing

@testable import ProviderHost

/// Credentials that are renewed by answers.
@Suite struct RenewalTests {
    /// Answers with the number in the credentials, and the next one as new credentials.
    private static let script = """
        import json, sys, time
        for line in sys.stdin:
            request = json.loads(line)
            number = request["params"]["credentials"]["number"]
            if request["params"]["video"]["id"] == "slow": time.sleep(0.3)
            sys.stdout.write(json.dumps({"id": request["id"], "result": {"url": "https://h/" + str(number),
                "size": number, "credentials": {"number": number + 1}}}) + "\\n")
            sys.stdout.flush()
        """

    /// Renews the credentials, and has no answer all the same.
    private static let refusing = """
        import json, sys
        for line in sys.stdin:
            request = json.loads(line)
            number = request["params"]["credentials"]["number"]
            sys.stdout.write(json.dumps({"id": request["id"], "error": {"code": -32000, "message": "old was n" + str(number),
                "data": {"kind": "unavailable", "credentials": {"number": number + 1, "refresh": "r3fr3sh"}}}}) + "\\n")
            sys.stdout.flush()
        """

    /// Renews the credentials, and answers with what the protocol doesn't have.
    private static let faulty = """
        import json, sys
        for line in sys.stdin:
            request = json.loads(line)
            number = request["params"]["credentials"]["number"]
            new = {"number": number + 1}
            answer = {"error": {"code": -32603, "message": "KeyError: 'file'", "data": {"credentials": new}}}
            if request["params"]["video"]["id"] == "no URL": answer = {"result": {"credentials": new}}
            if request["params"]["video"]["id"] == "wrong URL": answer = {"result": {"url": "/", "credentials": new}}
            if request["params"]["video"]["id"] == "odd error": answer = {"error": 7, "result": {"credentials": new}}
            sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\\n")
            sys.stdout.flush()
        """

    /// What a run holds.
    private final class Holder: Sendable {
        let number = Mutex<Int64>(1)
        let sent = Mutex(0)

        var credentials: RequestCredentials {
            RequestCredentials(
                current: {
                    self.sent.withLock { $0 += 1 }
                    return Secret(["number": .int(self.number.withLock { $0 })])
                }, renew: { new in self.number.withLock { $0 = new.value["number"]?.int ?? 0 } })
        }
    }

    @Test("a queued request is sent with the credentials of the one before it")
    func queued() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script, concurrency: 1)) { provider in
            let holder = Holder()
            let numbers = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for index in 0..<6 {
                    group.addTask { try await provider.resolve(.video("v\(index)"), with: holder.credentials).size }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(numbers.compactMap(\.self).sorted() == [1, 2, 3, 4, 5, 6])
            #expect(holder.number.withLock { $0 } == 7)
        }
    }

    @Test("an error may have new credentials, too, and the next request gets them")
    func errors() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.refusing, concurrency: 1)) { provider in
            let holder = Holder()
            for number in 1...3 {
                let error = await #expect(throws: ProviderError.self) {
                    try await provider.resolve(.video("v"), with: holder.credentials)
                }
                #expect(error?.kind == .unavailable)
                #expect(error?.message == "old was n\(number)")
            }
            #expect(holder.number.withLock { $0 } == 4)
        }
    }

    @Test(
        "credentials that come with a fault are kept, and what is asked once more goes with them",
        arguments: ["fault", "no URL", "wrong URL", "odd error"])
    func faults(video: String) async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.faulty, concurrency: 1)) { provider in
            let holder = Holder()
            let error = await #expect(throws: ProviderError.self) {
                try await provider.resolve(.video(video), with: holder.credentials)
            }
            #expect(error?.kind == .pluginFault)
            // Asked twice, and renewed each time.
            #expect(holder.number.withLock { $0 } == 3)
        }
    }

    /// Answers what it was told about renewing: with the size 1 if it may, otherwise with the error for that.
    private static let obedient = """
        import json, sys
        for line in sys.stdin:
            request = json.loads(line)
            params = request["params"]
            if params.get("renew") is False or params["video"]["id"] == "wrong":
                answer = {"error": {"code": -32000, "message": "later", "data": {"kind": "renewal_needed"}}}
            else:
                answer = {"result": {"url": "https://h/", "size": 1 if "renew" not in params else 2}}
            sys.stdout.write(json.dumps({"id": request["id"], **answer}) + "\\n")
            sys.stdout.flush()
        """

    @Test("a request says that it may not renew, and only such a one is answered with renewal_needed")
    func turns() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.obedient, concurrency: 1)) { provider in
            var credentials = Holder().credentials
            let answer = try await provider.resolve(.video("v"), with: credentials)
            #expect(answer.size == 1)
            credentials.mayRenew = false
            let error = await #expect(throws: ProviderError.self) {
                try await provider.resolve(.video("v"), with: credentials)
            }
            #expect(error == ProviderError(.renewalNeeded, "later"))
            credentials.mayRenew = true
            let fault = await #expect(throws: ProviderError.self) {
                try await provider.resolve(.video("wrong"), with: credentials)
            }
            #expect(fault?.kind == .pluginFault)
            #expect(fault?.message.contains("it answered 'renewal_needed' to a request that may renew") == true)
        }
    }

    @Test("credentials in an answer that nobody waits for any more are kept")
    func abandoned() async throws {
        let sandbox = try Sandbox()
        try await sandbox.run(try sandbox.python(Self.script, concurrency: 1)) { provider in
            let holder = Holder()
            let task = Task { try await provider.resolve(.video("slow"), with: holder.credentials) }
            while holder.sent.withLock({ $0 }) == 0 { await Task.yield() }
            task.cancel()
            #expect(await task.result.isCancelled)
            let next = try await provider.resolve(.video("next"), with: holder.credentials)
            #expect(next.size == 2)
            #expect(holder.number.withLock { $0 } == 3)
        }
    }
}

extension Result where Failure == any Error {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = self { (error as? ProviderError)?.kind == .cancelled } else { false }
    }
}
