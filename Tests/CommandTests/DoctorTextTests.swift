import DownloadRunner
import Foundation
import Testing

@testable import CourseFetchCommands

@Suite("What doctor says")
struct DoctorTextTests {
    private static let now = Date(timeIntervalSince1970: 1_795_300_000)
    private static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    private static func lines(_ facts: [DiagnosisFact]) -> [String] {
        DoctorText(style: TerminalStyle(hasColor: false, hasUnicode: true), zone: utc, now: now)
            .lines(Diagnosis(facts), settings: [], file: nil)
    }

    @Test("findings stand under their topics, each with what to do, and are counted at the end")
    func table() {
        let holder = LockHolder(host: "box", pid: 7, since: Self.now.addingTimeInterval(-3600), catalogs: ["/a.yaml"])
        let lines = Self.lines([
            .openToOthers(path: "/s/alice", mode: 0o755, isFolder: true), .lock(holder, isHeld: true),
            .leftovers(count: 2, bytes: 3 << 20, areRemoved: false),
            .pluginTrouble(name: "tube", folder: "/p/tube", .ends("exit status 1"), isUsed: true),
            .pluginTrouble(name: "spare", folder: "/p/spare", .cannotStart("no such file"), isUsed: false),
            .clock(host: "h", skew: -42),
        ])
        #expect(
            lines.joined(separator: "\n") == """
                State
                  problem  /s/alice is open to other accounts (mode 0755, should be 0700)
                           chmod 700 /s/alice
                  ok       a sync is running since 21:26: process 7 on box with /a.yaml

                Library
                  warning  2 partials that nothing wants any more, 3.00 MiB
                           coursefetch doctor --clean

                Plugins
                  problem  tube ends before it is asked anything: exit status 1
                           try it by hand: /p/tube
                  warning  spare can't be started: no such file
                           try it by hand: /p/spare

                Network
                  warning  the clock is 42s ahead of that of h
                           set it: links that are signed for a time may be refused

                Settings

                2 problems, 3 warnings
                """)
    }

    @Test("nothing wrong is said in one line, and is no problem for the exit code")
    func healthy() {
        let facts: [DiagnosisFact] = [
            .clockUnchecked, .clock(host: "h", skew: 3), .unknownFiles(count: 2, examples: ["a"]),
            .leftovers(count: 1, bytes: 1, areRemoved: true), .noState(path: "/s"),
        ]
        #expect(Self.lines(facts).last == "nothing stands in the way of a sync")
        #expect(Diagnosis(facts).conditions == [])
        #expect(Diagnosis([.providerMissing(name: "x")]).conditions == [.problemFound])
        #expect(Diagnosis([.clock(host: "h", skew: 4000)]).conditions == [.problemFound])
        #expect(ExitStatus([.problemFound]) == .failures && ExitStatus([.damageFound, .workLeft]) == .workLeft)
    }

    @Test("each fact has a text, and what a terminal would obey in it is made harmless")
    func texts() {
        let escape = "\u{1B}[31mred"
        let facts: [DiagnosisFact] = [
            .noState(path: escape), .databaseDamaged(path: "p", [escape]), .libraryUnusable(escape + "\nsecond line"),
            .pluginBroken(name: escape, folder: "f", reason: "r", isUsed: true), .noAuthorities(file: nil, folder: nil),
            .spaceShort(path: "/l", free: 1, needed: 2, unknownSizes: 1),
            .otherState(path: "/o", user: "b", library: "/b", catalogs: ["c"]),
            .stranded(paths: ["a"], bytes: 1, areRemoved: false), .clockUnknown(host: "h", reason: "r"),
        ]
        for fact in facts {
            let lines = Self.lines([fact])
            #expect(!lines[1].trimmingCharacters(in: .whitespaces).isEmpty, "\(fact)")
            #expect(!lines.joined().contains("\u{1B}"), "\(fact)")
            #expect(!DoctorWording.name(fact).isEmpty)
        }
    }
}
