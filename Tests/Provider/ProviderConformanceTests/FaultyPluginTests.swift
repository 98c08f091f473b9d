import CommandOutput
import Foundation
import ProviderConformance
import SystemPackage
import TestSupport
import Testing

@Suite("The conformance suite and wrong plugins")
struct FaultyPluginTests {
    /// Each fault of `faulty.py` with the checks that find it, the one that it is about first, and words of the finding.
    static let faults: [(fault: String, checks: [String], words: String)] = [
        ("banner", ["stdout"], "isn't JSON: \"provider 1.0 ready\""),
        ("print", ["stdout"], "stdout is for answers only"),
        ("latin-1", ["stdout"], "isn't UTF-8"),
        ("bare-notification", ["stdout"], "neither an answer nor a notification"),
        ("huge-line", ["resolution"], "more than 1 MiB"),
        ("pretty", ["stdout", "starts"], "an answer is one line"),
        ("single-quotes", ["stdout", "starts"], "double quotes"),
        ("no-flush", ["flush", "starts"], "only when stdin was closed"),
        ("ends-at-once", ["starts"], "exit status 3"),
        ("one-answer", ["login"], "before it answered"),
        ("hang", ["resolution"], "didn't answer within"),
        ("crash", ["resolution"], "KeyError"),
        ("slow", ["timeout"], "the manifest's timeout is 1 s"),
        ("accepts-anything", ["unknown-method"], "isn't an error with a code"),
        ("wrong-code", ["unknown-method"], "the code -32000"),
        ("silent-on-unknown", ["unknown-method"], "didn't answer"),
        ("login-null", ["login"], "credentials"),
        ("useless-login", ["login"], "auth_required"),
        ("empty-id", ["list"], "'id' that is empty"),
        ("list-error", ["errors"], "'drm' makes no sense for list"),
        ("repeated-cursor", ["list-pages"], "the cursor '2' is repeated"),
        ("endless-pages", ["list-pages", "self-contained"], "didn't end after"),
        ("repeated-id", ["list-ids"], "the id 'a1' is repeated"),
        ("long-known", ["list"], "'known' in its answer is longer than 4096 bytes"),
        ("odd-episode", ["list"], "'episode' of a video in its answer isn't between 0 and 99,999,999"),
        ("odd-season", ["list"], "'season' of a chapter in its answer isn't between 0 and 99,999,999"),
        ("always-unchanged", ["list-known"], "without 'known'"),
        ("no-url", ["resolution"], "no 'result.url'"),
        ("no-subtitle-url", ["resolution"], "no 'result.subtitles[0].url'"),
        ("relative-url", ["resolution"], "absolute http or https URL"),
        ("host-header", ["resolution"], "sets 'Host'"),
        ("number-as-text", ["resolution"], "size"),
        ("needs-data-folder", ["nulls"], "before it answered"),
        ("needs-chapter", ["nulls"], "before it answered"),
        ("strict-keys", ["unknown-keys"], "unknown key"),
        ("answers-notifications", ["lines-without-id"], "a line without an id"),
        ("unquoted", ["odd-ids"], "a space or a control character"),
        ("bmp-only", ["odd-ids"], "before it answered"),
        ("ascii-only", ["odd-ids", "long-ids"], "before it answered"),
        ("short-ids", ["long-ids"], "exit status 9"),
        ("short-lines", ["long-lines", "long-ids"], "before it answered"),
        ("best-only", ["quality"], "there is no such quality"),
        ("renews-each", ["renewal"], "of the requests in flight renewed the credentials"),
        ("renewal-refused", ["renewal-turns"], "the login has to be renewed"),
        ("local-clock", ["time-zone"], "takes the clock on the wall for UTC"),
        ("no-zone", ["resolution"], "isn't a time like"),
        ("numeric-next", ["list"], "'result.next' in its answer"),
        ("repeated-course", ["courses"], "the id 'c1' is repeated"),
        ("takes-every-address", ["recognise"], "is answered with {}"),
        ("mixes-up", ["concurrency"], "another request in flight"),
        ("own-clock", ["now", "rejected"], "its own clock"),
        ("own-clock-in-url", ["now"], "its own clock"),
        ("expired", ["expiry"], "not later than 'now'"),
        ("cached", ["rejected"], "the answer is the same"),
        ("course-in-url", ["ignores-course"], "another course"),
        ("remembers", ["self-contained"], "list me first"),
        ("cursor-in-memory", ["self-contained"], "unknown cursor"),
        ("leak", ["growth"], "its memory grew"),
        ("leak-files", ["growth"], "its open files grew"),
        ("outlives-stdin", ["end-of-input"], "still ran"),
        ("ignores-term", ["terminate"], "after TERM"),
        ("id-as-text", ["request-ids"], "has the id \""),
        ("constant-id", ["request-ids", "concurrency", "answers-once"], "has the id 1"),
        ("answers-twice", ["answers-once"], "a second time"),
        ("unknown-kind", ["errors"], "of the kind 'oops'"),
        ("no-kind", ["errors"], "no 'data.kind'"),
        ("empty-message", ["errors"], "no message"),
        ("retry-text", ["errors"], "'retry_after'"),
        ("secret-on-stderr", ["secrets-in-stderr"], "the secret"),
        ("secret-in-base64", ["secrets-in-stderr"], "the secret"),
        ("secret-in-log", ["secrets-in-messages"], "the secret"),
        ("secret-in-message", ["secrets-in-messages"], "the secret 'proxy'"),
        ("secret-in-listing", ["secrets-in-listings"], "the secret"),
        ("all-cookies", ["cookies"], "a cookie of elsewhere.invalid goes with an answer"),
        ("writes-cache", ["folder"], "cache.json"),
    ]

    @Test("a wrong plugin fails the check that is about its fault", arguments: faults)
    func fault(fault: String, checks: [String], words: String) async throws {
        // Those that let a request wait get a short limit, which a busy machine may exceed elsewhere, too.
        let short = ["slow": 1, "hang": 3, "silent-on-unknown": 3, "no-flush": 5][fault]
        let trial = try PluginTrial(fault: fault, timeout: short ?? 30)
        let report = await trial.report(measuresGrowth: checks == ["growth"])
        var uncertain: Set<String> = short == nil ? [] : ["timeout"]
        // Its clock may go on by a second between two requests.
        if fault == "own-clock" { uncertain = ["rejected"] }
        #expect(Set(report.failed).subtracting(uncertain) == Set(checks).subtracting(uncertain))
        let check = try #require(ConformanceCheck(rawValue: checks[0]))
        let sentences = report.failures(check).map { ConformanceWording.sentence($0.fault) }
        #expect(sentences.contains { $0.contains(words) }, "\(sentences)")
        #expect(try processes(of: trial) == [])
    }

    @Test("the same plugin without a fault passes every check")
    func right() async throws {
        let trial = try PluginTrial(fault: nil)
        let report = await trial.report(measuresGrowth: true)
        #expect(report.failed == [])
        #expect(report.results.map(\.check) == ConformanceCheck.allCases)
        let skipped = report.results.filter { if case .skipped = $0.verdict { true } else { false } }.map(\.check)
        // Without fixtures.
        #expect(skipped == [.expected, .exchanges])
        #expect(try processes(of: trial) == [])
    }

    @Test("without the time for enough requests it isn't said that the plugin doesn't grow")
    func growthNotMeasured() async throws {
        let trial = try PluginTrial(fault: "leak")
        let report = await trial.report()
        let growth = report.results.first { $0.check == .growth }
        guard case .skipped(.tooFewAnswers(0)) = growth?.verdict else {
            Issue.record("\(String(describing: growth))")
            return
        }
        #expect(report.failed == [])
    }

    @Test("every fault of the script has its row")
    func complete() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "faulty.py")
        let text = try String(contentsOf: source, encoding: .utf8)
        var named = Set(text.matches(of: /FAULT [!=]= "([a-z0-9-]+)"/).map { String($0.1) })
        named.formUnion(text.matches(of: /"(own-clock[a-z-]*)"/).map { String($0.1) })
        #expect(named == Set(Self.faults.map(\.fault)))
        #expect(named.count > 25)
    }

    @Test("a check of every kind is failed by some plugin")
    func checks() {
        let found = Set(Self.faults.flatMap(\.checks)).union(["manifest", "parameters"])
            .union(FixtureStrictnessTests.faults.flatMap(\.checks))
        #expect(found == Set(ConformanceCheck.allCases.map(\.rawValue)))
    }

    /// What runs in the folder of a plugin.
    private func processes(of trial: PluginTrial) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { name in
            Int(name) != nil
                && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"))
                    == trial.folder.path.string
        }
    }
}
