import DownloadStore
import MediaLibrary
import SyncFacts
import Testing

@testable import DownloadRunner

@Suite("each failure of a run that watches is told once")
struct ToldFailuresTests {
    private static func failed(_ videos: String..., more: SyncCondition...) -> SyncSummary {
        var summary = SyncSummary(conditions: Set(more).union([.downloadsFailed]))
        summary.failures = videos.map {
            (
                VideoReference(course: "c", chapter: nil, video: $0, title: $0),
                DownloadError(kind: .gone, message: "gone")
            )
        }
        return summary
    }

    /// Which of these passes are told.
    private static func told(_ passes: [SyncSummary]) -> [Bool] {
        var told = ToldFailures()
        return passes.map { told.note($0) }
    }

    @Test("a pass is told if it fails in a way that no pass since the last good one has")
    func changes() {
        let passes: [(SyncSummary, Bool)] = [
            (SyncSummary(), false), (Self.failed("a"), true), (Self.failed("a"), false), (Self.failed(), false),
            (Self.failed("b"), true), (Self.failed("a"), false), (Self.failed(more: .loginNeeded), true),
            (Self.failed(more: .loginNeeded, .workLeft), false), (Self.failed(), false),
            (SyncSummary(conditions: [.workLeft]), false), (Self.failed("a"), true),
        ]
        #expect(Self.told(passes.map(\.0)) == passes.map(\.1))
    }

    @Test("another reason for the same exit code is told, and another login")
    func reasons() {
        let paths = ["/a", "/a", "/b"].map { SyncSummary(.library(.notAFolder(path: $0))) }
        #expect(Self.told(paths) == [true, false, true])
        let logins = [["p"], ["p"], ["p", "q"]].map { SyncSummary(conditions: [.loginNeeded], providersToLogIn: $0) }
        #expect(Self.told(logins) == [true, false, true])
    }

    @Test(
        "what the user ends, and what is only left, hasn't failed",
        arguments: [
            ([], nil, false), ([.workLeft], nil, false), ([.workLeft], .window, false), ([.downloadsFailed], nil, true),
            ([.workLeft, .downloadsFailed], .quota, true), ([.workLeft, .downloadsFailed], .signal, false),
            ([.workLeft], .logout, false), ([.stateUnusable], .disk, true), ([.usage], nil, true),
        ] as [(Set<SyncCondition>, SuspendReason?, Bool)])
    func failures(conditions: Set<SyncCondition>, reason: SuspendReason?, hasFailed: Bool) {
        #expect(SyncSummary(conditions: conditions, stopReason: reason).hasFailed == hasFailed)
    }
}
