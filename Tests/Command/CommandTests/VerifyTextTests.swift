import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import Operations
import SyncFacts
import SystemPackage
import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("The text of verify")
struct VerifyTextTests {
    private static func file(
        _ id: String, _ verdict: VerifiedFile.Verdict, _ remedy: VerifiedFile.Remedy = .nothing,
        role: VerifiedFile.Role = .video
    ) -> VerifiedFile {
        VerifiedFile(
            reference: VideoReference(course: "c", chapter: "k", video: id, title: "T"), path: "C/\(id).mp4",
            role: role,
            size: 1000, verdict: verdict, remedy: remedy)
    }

    private static func text(_ findings: [VerifiedFile], repairs: Bool = false, sidecars: Int = 0) -> String {
        var result = Verification(progress: .init(files: 9, allFiles: 9, bytes: 9 << 20, allBytes: 9 << 20))
        result.findings = findings
        result.sidecars = sidecars
        return VerifyText(repairs: repairs, style: TerminalStyle(hasColor: false, hasUnicode: true)).lines(result)
            .joined(separator: "\n")
    }

    @Test("each finding says what is wrong and what to do, the sums come last")
    func findings() {
        #expect(
            Self.text(
                [
                    Self.file("a", .missing, .willBeFetched), Self.file("b", .changed(size: 1000, sha256: "ff")),
                    Self.file("d", .unrecorded(isTouched: false)), Self.file("e", .unrecorded(isTouched: true)),
                    Self.file("f", .missing, .needsRetry, role: .sidecar(.subtitle, name: "en")),
                ], sidecars: 3) == """
                    missing     C/a.mp4
                                the next sync downloads it
                    changed     C/b.mp4
                                its content has changed since it was downloaded; nothing was changed
                                coursefetch verify c/k/b --repair
                    unproven    C/e.mp4
                                it was stored without a SHA-256 (--no-checksum, or migrate --link) and has changed since
                                coursefetch retry c/k/e
                    missing     C/f.mp4
                                it comes with the video
                                coursefetch retry c/k/f
                    1 file can't be checked: no SHA-256 was recorded (stored without one: --no-checksum, or migrate --link); to record it now: \
                    coursefetch verify --repair
                    9 files, 9.00 MiB: 5 as recorded, 2 unproven, 1 missing, 1 changed, 1 of 3 files beside them
                    """)
    }

    @Test("a file that can't be read isn't counted among those that have changed")
    func unreadable() {
        let text = Self.text([
            Self.file("a", .unreadable(.system(.read, path: "C/a.mp4", .ioError))),
            Self.file("b", .changed(size: 1000, sha256: "ff")),
        ])
        #expect(text.hasSuffix("9 files, 9.00 MiB: 7 as recorded, 1 unreadable, 1 changed"), "\(text)")
    }

    @Test("a file whose move isn't complete is moved by the next sync, and needs no repair")
    func unmoved() {
        let text = Self.text([Self.file("a", .unreadable(.system(.rename, path: "D/a.mp4", .ioError)), .willBeMoved)])
        #expect(
            text == """
                unreadable  C/a.mp4
                            can't rename D/a.mp4: Input/output error; its move isn't complete; the next sync completes it
                9 files, 9.00 MiB: 8 as recorded, 1 unreadable
                """, "\(text)")
    }

    @Test("with --repair it reports the repairs, without advice that was just followed")
    func repaired() {
        #expect(
            Self.text(
                [
                    Self.file("b", .changed(size: 7, sha256: nil), .willBeReplaced),
                    Self.file("d", .unrecorded(isTouched: false), .recorded),
                    Self.file("g", .missing, .goneFromCatalog),
                ], repairs: true) == """
                    changed     C/b.mp4
                                it has 7 bytes instead of 1,000; the next sync downloads it again, and keeps this one until then
                    missing     C/g.mp4
                                it is no longer listed; sync --prune removes it
                    1 file (stored without a SHA-256: --no-checksum, or migrate --link): that of their present content was recorded
                    9 files, 9.00 MiB: 6 as recorded, 1 unproven, 1 missing, 1 changed
                    """)
    }

    @Test("the progress line has files, bytes, speed and time left, and fits")
    func progress() {
        var text = VerifyProgressText()
        let start = Date(timeIntervalSince1970: 1000)
        _ = text.line(.init(files: 0, allFiles: 3, bytes: 0, allBytes: 30 << 20), columns: 80, now: start)
        let state = VerificationProgress(files: 1, allFiles: 3, bytes: 10 << 20, allBytes: 30 << 20)
        #expect(
            text.line(state, columns: 80, now: start.addingTimeInterval(2))
                == " 1 of 3 files, 10.0 MiB of 30.0 MiB, 5.00 MiB/s, 4s left")
        #expect(DisplayWidth.of(text.line(state, columns: 20, now: start.addingTimeInterval(2))) <= 20)
    }
}
