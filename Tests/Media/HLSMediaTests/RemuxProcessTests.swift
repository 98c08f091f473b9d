import ChildProcess
import Foundation
import HLSMedia
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// The outcome of a remux for every way the program can behave. The program is a script.
@Suite("running ffmpeg")
struct RemuxProcessTests {
    /// A leader that ends when told to, and a child that doesn't.
    static let deafChild = """
        sh -c 'trap "" TERM; echo $$ > "$0/child"; while :; do sleep 1; done' "$home" &
        echo $$ > "$home/leader"
        wait
        """
    /// A leader that doesn't end when told to, and a child that has closed its outputs.
    static let deafLeader = """
        trap '' TERM
        sleep 1000 >/dev/null 2>&1 & echo $! > "$home/child"
        echo $$ > "$home/leader"
        while :; do sleep 1; done
        """

    @Test("a program that hangs is ended at its limit, with its children", arguments: [deafChild, deafLeader])
    func hanging(script: String) async throws {
        let fake = try FakeFFmpeg("touch \"$home/out.mp4\"\n" + script)
        let job = try #require(fake.job)
        await #expect(throws: RemuxError.timedOut(.seconds(2))) {
            try await job.run(with: fake.program, limit: .seconds(2))
        }
        try await expectNobody(fake)
        #expect(!fake.folder.has("out.mp4"))
    }

    @Test("cancellation ends the program and its children", arguments: [deafChild, deafLeader])
    func cancelled(script: String) async throws {
        let fake = try FakeFFmpeg(script)
        let job = try #require(fake.job)
        let running = Task { try await job.run(with: fake.program) }
        #expect(try await fake.number("leader") != nil)
        #expect(try await fake.number("child") != nil)
        running.cancel()
        await #expect(throws: RemuxError.cancelled) { try await running.value }
        try await expectNobody(fake)
    }

    @Test("a task that is already cancelled starts no program")
    func cancelledBefore() async throws {
        let fake = try FakeFFmpeg("touch \"$home/began\"")
        let job = try #require(fake.job)
        let running = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await job.run(with: fake.program)
        }
        running.cancel()
        await #expect(throws: RemuxError.cancelled) { try await running.value }
        #expect(!fake.folder.has("began"))
    }

    func expectNobody(_ fake: FakeFFmpeg) async throws {
        for name in ["leader", "child"] {
            let process = try #require(try await fake.number(name))
            #expect(try await FakeFFmpeg.isGone(process), "\(name)")
        }
    }

    static let failures: [(script: String, error: RemuxError)] = [
        ("echo first >&2; echo 'no such codec' >&2; exit 3", .failed(exit: 3, lastLine: "no such codec")),
        ("exit 4", .failed(exit: 4, lastLine: "")),
        ("printf 'x\\n\\n  \\n' >&2; exit 1", .failed(exit: 1, lastLine: "x")),
        ("kill -KILL $$", .failed(exit: 137, lastLine: "")),
        ("exit 0", .failed(exit: 0, lastLine: "")),
        (": > \"$home/out.mp4\"", .failed(exit: 0, lastLine: "")),
        ("echo \"$home/in.ts: Invalid data\" >&2; exit 1", .failed(exit: 1, lastLine: "in.ts: Invalid data")),
        ("echo \"file:$home/out.mp4: bad\" >&2; exit 1", .failed(exit: 1, lastLine: "out.mp4: bad")),
        ("echo 'in /a/secret/place, file:/b/c' >&2; exit 1", .failed(exit: 1, lastLine: "in place, c")),
        ("echo '[mpegts @ 0x55d0c0ffee00] broken' >&2; exit 1", .failed(exit: 1, lastLine: "[mpegts] broken")),
        ("printf 'a\\033[31mb\\177c\\377\\n' >&2; exit 1", .failed(exit: 1, lastLine: "a[31mbc\u{FFFD}")),
        ("echo 'out.mp4: No space left on device' >&2; echo 'Conversion failed!' >&2; exit 1", .noSpace),
    ]

    @Test("a program's output is reported, and its files are removed", arguments: failures)
    func failed(script: String, error: RemuxError) async throws {
        let fake = try FakeFFmpeg((script.hasPrefix("exit 0") ? "" : "echo half > \"$home/out.mp4\"\n") + script)
        let job = try #require(fake.job)
        await #expect(throws: error) { try await job.run(with: fake.program) }
        #expect(!fake.folder.has("out.mp4"))
        #expect(fake.folder.has("in.ts"))
    }

    @Test("from much output the last line is reported, cut off")
    func flood() async throws {
        let fake = try FakeFFmpeg(
            "yes 'much text' | head -c 3000000 >&2; yes z | tr -d '\\n' | head -c 9000 >&2; exit 1")
        let job = try #require(fake.job)
        await #expect(throws: RemuxError.failed(exit: 1, lastLine: String(repeating: "z", count: 300))) {
            try await job.run(with: fake.program)
        }
        #expect(!fake.folder.has("out.mp4"))
    }

    @Test("a missing program is reported by name")
    func missing() async throws {
        let fake = try FakeFFmpeg("exit 0")
        let job = try #require(fake.job)
        let program = FFmpeg(executable: fake.folder.at("nothing"))
        await #expect(throws: RemuxError.notFound) { try await job.run(with: program) }
    }

    @Test("complaints of a successful program are reported")
    func complaint() async throws {
        let fake = try FakeFFmpeg("echo whole > \"$home/out.mp4\"; echo 'a packet was broken' >&2")
        let job = try #require(fake.job)
        #expect(try await job.run(with: fake.program) == "a packet was broken")
        #expect(fake.folder.read("out.mp4") == "whole\n")
    }

    @Test("the program runs at low priority, without input, and with little of our environment")
    func surroundings() async throws {
        // Priority is lowered right after the start.
        let fake = try FakeFFmpeg(
            """
            until [ "$(nice)" -ge 10 ]; do :; done
            env > "$home/env"; pwd > "$home/folder"; cat > "$home/input"
            printf '%s\\n' "$@" > "$home/out.mp4"
            """)
        let job = try #require(fake.job)
        #expect(try await job.run(with: fake.program, limit: .seconds(30)) == nil)
        let names = try #require(fake.folder.read("env")).split(separator: "\n").map { $0.prefix { $0 != "=" } }
        #expect(Set(names).subtracting(["PATH", "LANG", "HOME", "PWD", "OLDPWD", "SHLVL", "_"]).isEmpty, "\(names)")
        #expect(fake.folder.read("folder") == "/\n")
        #expect(fake.folder.read("input")?.isEmpty == true)
        #expect(fake.folder.read("out.mp4") == job.arguments.map { $0 + "\n" }.joined())
    }

    @Test("its process group is reported before and after")
    func watched() async throws {
        let fake = try FakeFFmpeg("ps -o pgid= -p $$ | tr -d ' ' > \"$home/out.mp4\"")
        let job = try #require(fake.job)
        let (began, ended) = (Numbers(), Numbers())
        let watch = GroupWatch(began: { began.add($0) }, ended: { ended.add($0) })
        try await job.run(with: fake.program, watch: watch)
        #expect(began.all == ended.all)
        #expect(began.all.map { "\($0)\n" } == [fake.folder.read("out.mp4")])
    }

    private final class Numbers: Sendable {
        private let numbers = Mutex<[Int32]>([])
        var all: [Int32] { numbers.withLock { $0 } }
        func add(_ number: Int32) { numbers.withLock { $0.append(number) } }
    }
}
