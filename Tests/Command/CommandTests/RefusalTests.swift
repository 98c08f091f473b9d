import DownloadStore
import FileSystem
import Foundation
import Logging
import MediaLibrary
import Synchronization
import SystemPackage
import Testing
import UserState

@testable import CommandOutput
@testable import SyncFacts

@Suite("Sentences for refused commands")
struct RefusalTests {
    private static let today = LockHolder(host: "nas", pid: 4711, since: Date(), catalogs: ["a.yaml"], user: "alice")

    @Test("advice fits: it never suggests adopting a missing folder, nor says that nothing was started")
    func library() {
        let missing = Refusal(LibraryError.markerMissing(library: "/l", folderExists: false)).message
        #expect(missing.contains("If its disk isn't mounted, mount it") && !missing.contains("adopt"))
        let empty = Refusal(LibraryError.markerMissing(library: "/l", folderExists: true)).message
        #expect(empty.contains("coursefetch library adopt --library /l"))
        #expect(!(missing + empty).contains("started"))
        let held = Refusal(LibraryError.inUse(library: "/l", by: Self.today))
        #expect(held.message.contains("user alice, process 4711 on nas with a.yaml; two states"))
        #expect(held.condition == .workLeft)
    }

    @Test("the holder of the lock is named as far as it is known, with the date if it isn't today")
    func holders() {
        #expect(Refusal.held(nil).message == "another sync of this user is running; try again later")
        var holder = Self.today
        holder.user = nil
        holder.since = Date(timeIntervalSince1970: 1_795_215_600)
        #expect(
            Refusal.held(holder).message
                == "another sync of this user has been running since 2026-11-20T23:00:00Z: process 4711 on nas with a.yaml; "
                + "try again later")
        #expect(Refusal.silent(nil).message.hasPrefix("another process is running for this user"))
        #expect(Refusal.working(nil).message.hasPrefix("the running process is still working on it"))
        #expect(Refusal.working(holder).message.hasPrefix("process 4711 on nas is still working on it"))
        #expect(
            Refusal.user(.stillTransferring(holder)).message.hasPrefix(
                "logged out, but process 4711 on nas with a.yaml didn't confirm within 5 s"))
    }

    @Test(
        "mistakes in secrets are reported by name and line, with the correct form",
        arguments: [
            (.missing(["pass"]), "FILE: 'pass' is missing or empty. Write each on its own line: user: … and pass"),
            (.missing(["user", "pass"]), "'user', 'pass' are missing or empty"),
            (.unknownName(line: 3), "FILE, line 3: the provider doesn't ask for this name"),
            (.notText(name: "pass", kind: "an integer", line: 1), "line 1: 'pass' is an integer; put it in quotes"),
            (.notAMapping, "FILE isn't a mapping. Write each on its own line: user: … and pass: …"),
            (.noText, "FILE is empty"), (.notYAML(line: 2), "can't be read as YAML (line 2)"),
            (.notYAML(line: nil), "put a secret with special characters in single quotes"),
            (.noValue(name: "pass", line: 1), "line 1: 'pass' is empty"),
            (.assignment("pass"), "'pass=' isn't part of a secret"), (.tooLong, "longer than 1 MiB"),
            (.notUTF8, "isn't UTF-8"),
        ] as [(LoginSecretsError.Problem, String)])
    func secrets(_ problem: LoginSecretsError.Problem, _ text: String) {
        let message = Refusal(LoginSecretsError(file: "FILE", names: ["user", "pass"], problem: problem)).message
        #expect(message.contains(text), "\(message)")
    }

    @Test("a refusal inside another keeps its condition and its words")
    func nested() {
        let full = Refusal.store(.full(path: "/s"))
        for (outer, words) in [
            (Refusal.run(.notStarted(full)), "nothing was started: the disk of"),
            (.user(.onlyWiped(full)), "is full. The credentials were deleted, but the session is still open"),
            (.provider(.unsaved("p", full)), "can't store the new credentials of provider 'p': the disk"),
        ] {
            #expect(outer.condition == .stateUnusable && outer.message.contains(words), "\(outer.message)")
        }
    }

    @Test(
        "missing room is reported in units that users write",
        arguments: [(1 << 30, "1 GiB"), (70_759_940_915, "65.9 GiB"), (1023, "1023 B")] as [(Int64, String)])
    func room(_ bytes: Int64, _ text: String) {
        let refusal = Refusal.run(.noSpace(free: 0, floor: bytes, isStandard: false, library: "/l"))
        #expect(refusal.message.contains("the disk of /l has 0 B free, and --min-free-space is \(text): videos"))
        let standard = Refusal.run(.noSpace(free: 0, floor: bytes, isStandard: true, library: "/l")).message
        #expect(standard.contains("has 0 B free, and a sync leaves \(text) free by default: videos"))
        #expect(standard.contains("--min-free-space SIZE; 0 ") && standard.contains(", off "))
    }

    @Test("an unknown provider is reported with a similar name")
    func providers() {
        #expect(
            Refusal.provider(.unknown("drect", suggestion: "direct")).message
                == "there is no provider 'drect'; did you mean 'direct'? to list providers: coursefetch plugins list")
        #expect(
            Refusal.provider(.unknown("x", suggestion: nil)).message
                == "there is no provider 'x'; to list providers: coursefetch plugins list")
    }

    @Test("a held course has instructions to get its files again")
    func held() {
        let course = HeldCourse(
            course: "a", title: "Optics", reason: .filesMissing(count: 2, finished: 3, example: "Optics/01 Light.mp4"))
        #expect(
            course.message.hasPrefix("the course 'Optics' was left unchanged: 2 of its 3 finished files are missing"))
        #expect(course.message.hasSuffix("--refetch-lost, or: coursefetch verify a --repair"))
    }

    @Test("files that --prune leaves are reported with the command to remove them")
    func prune() {
        #expect(SyncWarning.prune(.held(count: 4, all: 5)).message.hasSuffix("run it again with --max-delete 4"))
        #expect(SyncWarning.prune(.unfinished(count: 1)).message.contains("finished, cancelled or out of the catalogs"))
    }

    @Test("a log line ends with the words of the error that it wraps")
    func logged() {
        let lines = Lines()
        let logger = Logger(label: "test") { _ in LineLogHandler(level: .debug, sink: lines.add) }
        logger.error("it can't be stored", error: Refusal.store(.full(path: "/s")))
        logger.warning("it is odd", error: Errno.ioError, metadata: ["a": "b"])
        #expect(
            lines.all == [
                "error: it can't be stored: the disk of the state file /s is full",
                "warning: it is odd: \(Errno.ioError) a=b",
            ])
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
