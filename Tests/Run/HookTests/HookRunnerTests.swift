import ChildProcess
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import Hooks

@Suite("the user's commands")
struct HookRunnerTests {
    private let folder = TemporaryFolder()
    private let subject = HookSubject(course: "c", chapter: nil, video: "v", title: "T")

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    private func runner(
        _ point: HookPoint, _ commands: [String], timeout: Duration = .seconds(20), jobs: Int = 4, log: Log = Log()
    ) -> HookRunner {
        var settings = HookSettings()
        settings.commands[point] = commands.map { Hook(command: $0, timeout: timeout) }
        settings.folder = folder.path.string
        return HookRunner(settings, jobs: { jobs }, watch: .none) { line in log.lines.withLock { $0.append(line) } }
    }

    private func request(_ commands: [String], timeout: Duration = .seconds(20), log: Log = Log()) async
        -> HookRunner.RequestVerdict
    {
        await runner(.beforeRequest, commands, timeout: timeout, log: log).beforeRequest(
            RequestFacts(
                subject, purpose: "video", url: "https://h/a?token=s3cret", headers: ["Cookie": "hush-hush", "X": "1"]))
    }

    private func file(_ commands: [String], stamp: () -> Int = { 1 }) async -> HookRunner.FileVerdict {
        await runner(.afterDownload, commands).afterDownload(
            DownloadedFacts(subject, path: "/l/.p/1.part", finalPath: "/l/T.mp4", bytes: 7, sha256: "ab"), stamp: stamp)
    }

    @Test("a request is unchanged, or changed by each command in turn")
    func change() async {
        let headers = ["Cookie": "hush-hush", "X": "1"]
        #expect(await request(["true"]) == .go(RequestChange(url: "https://h/a?token=s3cret", headers: headers)))
        let first = #"echo '{"url": "https://mirror/a", "headers": {"x": null, "Y": "2"}}'"#
        let second = #"grep -q '"url":"https://mirror/a"' && echo '{"headers": {"cookie": "new"}}'"#
        let change = RequestChange(
            url: "https://mirror/a", headers: ["cookie": "new", "Y": "2"], named: ["x", "y", "cookie"])
        #expect(await request([first, second]) == .go(change))
        #expect(await request([#"echo '{"url": "file:///etc/passwd"}'"#]) == .trouble(.badURL))
        #expect(await request([#"echo '{"headers": {"Y": "1\\r\\nZ: 2"}}'"#]) == .trouble(.badHeader("Y")))
        #expect(await request([#"echo '{"headers": {"a b": "1"}}'"#]) == .trouble(.badHeader("a b")))
    }

    @Test("a request is refused by a verdict or an exit code, with the last line of output as the reason")
    func refuse() async {
        #expect(await request([#"echo '{"verdict": "refuse", "reason": "not at night"}'"#]) == .refused("not at night"))
        #expect(await request(["echo first >&2; echo second >&2; exit 3", "touch never"]) == .refused("second"))
        #expect(await request(["exit 3"]) == .refused("exit code 3"))
        #expect(!folder.has("never"), "after a refusal nothing more runs")
    }

    @Test("a file is accepted, rejected or requested once more")
    func judge() async {
        #expect(await file(["true", "cat > told"]) == .accepted)
        #expect(
            folder.read("told") == """
                {"bytes":7,"course":"c","final_path":"/l/T.mp4","hook":"after-download","path":"/l/.p/1.part","schema":1,\
                "sha256":"ab","title":"T","video":"v"}

                """)
        #expect(await file(["echo no sound >&2; exit 1"]) == .rejected("no sound"))
        #expect(await file([#"echo '{"verdict": "reject", "reason": "short"}'"#]) == .rejected("short"))
        #expect(await file(["echo again >&2; exit 75"]) == .again("again"))
        #expect(await file([#"echo '{"verdict": "retry"}'"#]) == .again(nil))
        #expect(
            await file([#"echo '{"verdict": "accept"}'; exit 9"#]) == .accepted, "what it says counts, not its code")
    }

    @Test("unusable answers are reported as such")
    func trouble() async {
        #expect(await file([#"echo '{"verdict": "maybe"}'"#]) == .trouble(.unknownVerdict("maybe")))
        #expect(await file(["echo '{nonsense'"]) == .trouble(.unreadable))
        #expect(await file([#"echo '{"verdict": "accept",}'"#]) == .trouble(.unreadable))
        #expect(await file([#"echo '{"verdict": "accept", "more": [1,]}'"#]) == .trouble(.unreadable))
        #expect(await file([#"echo '{"verdict": "reject", "verdict": "accept"}'"#]) == .accepted)
        #expect(await request([#"echo '{"url": 5}'"#]) == .trouble(.wrongType("url")))
        #expect(await file(["kill -9 $$"]) == .trouble(.signaled(9)))
        let stamps = Mutex(0)
        let changed = await file(["true"]) {
            stamps.withLock { count in
                count += 1
                return count
            }
        }
        #expect(changed == .trouble(.changedFile))
    }

    @Test("a command that takes too long is ended with all its children")
    func timeout() async throws {
        let began = ContinuousClock.now
        #expect(await request(["sleep 3600 & echo $! > child; wait"], timeout: .seconds(1)) == .trouble(.timedOut))
        #expect(ContinuousClock.now - began < .seconds(1800))
        let child = try #require(Int32(folder.read("child")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""))
        // A zombie has ended; who its parent is now need not reap it.
        let state = (try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)) ?? ""
        #expect(state.isEmpty || state.contains(") Z "), "the child is gone")
    }

    @Test(
        "a process left in the background doesn't delay a finished command, wherever its output goes",
        arguments: ["sleep 3600 > /dev/null 2>&1 &", "sleep 3600 &", "setsid sleep 3 &"])
    func background(command: String) async {
        let began = ContinuousClock.now
        #expect(await file(["echo heard >&2; \(command)"]) == .accepted)
        #expect(ContinuousClock.now - began < .seconds(1800))
    }

    @Test("a command that redirects its output is waited for, and its last words are read")
    func outputs() async {
        #expect(await file(["exec > log 2>&1; sleep 0.3; echo done; touch end"]) == .accepted)
        #expect(folder.read("log") == "done\n" && folder.has("end"))
        #expect(await file(["exec > log 2>&1; sleep 0.3; exit 4"]) == .rejected("exit code 4"))
        let long = #"head -c 50000 /dev/zero | tr '\0' ' '; echo '{"verdict": "reject", "reason": "at the end"}'"#
        for _ in 0..<20 { #expect(await file([long]) == .rejected("at the end")) }
    }

    @Test("the watchdog that ends a command if this process is killed is told of its start and end")
    func watched() async {
        let groups = Mutex((began: [Int32](), ended: [Int32]()))
        let watch = GroupWatch(
            began: { group in groups.withLock { $0.began.append(group) } },
            ended: { group in groups.withLock { $0.ended.append(group) } })
        var settings = HookSettings()
        settings.commands[.beforeRequest] = [Hook(command: "true", timeout: .seconds(20))]
        _ = await HookRunner(settings, jobs: { 1 }, watch: watch, log: { _ in }).beforeRequest(
            RequestFacts(subject, purpose: "video", url: "https://h", headers: [:]))
        groups.withLock { #expect($0.began.count == 1 && $0.began == $0.ended) }
    }

    @Test("a command's output is logged, without secrets from its input and without control characters")
    func logging() async {
        let log = Log()
        _ = await request(["cat >&2; printf 'plain \\033[31mred\\n'"], log: log)
        let lines = log.lines.withLock { $0 }
        #expect(lines.count == 2 && lines[1] == "plain [31mred", "\(lines)")
        #expect(lines[0].contains("https://h/a?…") && lines[0].contains(#""Cookie":"<redacted>""#), "\(lines)")
        #expect(!lines[0].contains("s3cret") && !lines[0].contains("hush"))
    }

    @Test("a reason is reported without user and query of an address, and without secrets from the command's input")
    func reasons() async {
        let answer = #"echo '{"verdict": "refuse", "reason": "no http://u:p@h:8/v?sig=S and hush-hush"}'"#
        #expect(await request([answer]) == .refused("no http://h:8/v?… and <redacted>"))
        #expect(
            await request(["echo 'cannot get http://hush-hush/v?sig=S' >&2; exit 1"])
                == .refused("cannot get http://<redacted>/v?…"))
    }

    @Test("as many commands run at a time as downloads are allowed")
    func limit() async {
        let runner = runner(
            .afterDownload, ["mkdir run-$$; ls -d run-* | wc -l >> seen; sleep 0.2; rmdir run-$$"], jobs: 2)
        let facts = DownloadedFacts(subject, path: "/p", finalPath: "/f", bytes: 1, sha256: nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 { group.addTask { _ = await runner.afterDownload(facts, stamp: { 1 }) } }
        }
        let seen = (folder.read("seen") ?? "").split(separator: "\n").compactMap {
            Int($0.trimmingCharacters(in: .whitespaces))
        }
        #expect(seen.count == 6 && seen.max() ?? 9 <= 2, "\(seen)")
    }

    @Test("the end of the run ends running commands, and no more begin")
    func end() async throws {
        let runner = runner(.beforeRequest, ["touch begun; sleep 3600"], timeout: .seconds(300))
        let facts = RequestFacts(subject, purpose: "video", url: "https://h", headers: [:])
        let asked = Task { await runner.beforeRequest(facts) }
        while !folder.has("begun") { try await Task.sleep(for: .milliseconds(10)) }
        runner.shutDown()
        #expect(await asked.value == .trouble(.cancelled))
        #expect(await runner.beforeRequest(facts) == .trouble(.cancelled))
    }
}
