import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
import SystemPackage
import TestSupport
import Testing
import UserState

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Operations
@testable import SyncFacts
@testable import Terminal

@Suite("The text of doctor")
struct DoctorTextTests {
    private static let now = Date(timeIntervalSince1970: 1_795_300_000)
    private static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    private static func lines(_ facts: [DiagnosisFact]) -> [String] {
        DoctorText(style: TerminalStyle(hasColor: false, hasUnicode: true), zone: utc, now: now)
            .lines(Diagnosis(facts), settings: [], files: [])
    }

    @Test("findings are listed by topic, each with a remedy, and are counted at the end")
    func table() {
        let holder = LockHolder(host: "box", pid: 7, since: Self.now.addingTimeInterval(-3600), catalogs: ["/a.yaml"])
        let lines = Self.lines([
            .openToOthers(path: "/s/alice", mode: 0o755, isFolder: true), .lock(holder, isHeld: true),
            .leftovers(count: 2, bytes: 3 << 20, areRemoved: false),
            .pluginDefect(name: "tube", folder: "/p/tube", .ends("exit status 1"), isUsed: true),
            .pluginDefect(name: "spare", folder: "/p/spare", .cannotStart("no such file"), isUsed: false),
            .clock(host: "h", skew: -42),
        ])
        #expect(
            lines.joined(separator: "\n") == """
                State
                  problem  /s/alice is accessible to other accounts (mode 0755, should be 0700)
                           chmod 700 /s/alice
                  ok       a sync has been running since 21:26: process 7 on box with /a.yaml

                Library
                  warning  2 partials no longer needed, 3.00 MiB
                           coursefetch doctor --clean

                Plugins
                  problem  tube ends before it gets a request: exit status 1
                           coursefetch plugins check /p/tube
                  warning  spare can't be started: no such file
                           coursefetch plugins check /p/spare

                Network
                  warning  the clock is 42s ahead of that of h
                           correct it: servers may refuse signed links

                Settings

                2 problems, 3 warnings
                """)
    }

    @Test("a healthy result is one line, and no problem for the exit code")
    func healthy() {
        let facts: [DiagnosisFact] = [
            .clockUnchecked, .clock(host: "h", skew: 3), .unknownFiles(count: 2, examples: ["a"]),
            .leftovers(count: 1, bytes: 1, areRemoved: true), .noState(path: "/s"),
        ]
        #expect(Self.lines(facts).last == "no problems found")
        #expect(Diagnosis(facts).conditions == [])
        #expect(Diagnosis([.providerMissing(name: "x")]).conditions == [.problemFound])
        #expect(Diagnosis([.clock(host: "h", skew: 4000)]).conditions == [.problemFound])
        #expect(ExitStatus([.problemFound]) == .failures && ExitStatus([.damageFound, .workLeft]) == .workLeft)
    }

    private static let odd = "\u{1B}[31mred\nsecond\u{202E} line"

    /// One of each kind, one after the other: a new kind must find its place before this compiles.
    private static func following(_ fact: DiagnosisFact?) -> DiagnosisFact? {
        switch fact {
        case nil: .noState(path: odd)
        case .noState: .state(path: odd, free: 1)
        case .state: .openToOthers(path: odd, mode: 0o644, isFolder: false)
        case .openToOthers: .ownedByAnother(path: odd, account: 7)
        case .ownedByAnother: .stateNotWritable(path: odd)
        case .stateNotWritable: .stateOnNetwork(path: odd, kind: odd)
        case .stateOnNetwork: .stateInMemory(path: odd)
        case .stateInMemory: .stateDiskFull(path: odd, free: 1)
        case .stateDiskFull: .database(path: odd, version: 1, bytes: 1, downloads: 1)
        case .database: .databaseOlder(path: odd)
        case .databaseOlder: .databaseDamaged(path: odd, [odd])
        case .databaseDamaged: .databaseUnusable(.io(path: odd, detail: odd))
        case .databaseUnusable: .lock(LockHolder(host: odd, pid: 1, since: now, catalogs: [odd]), isHeld: true)
        case .lock(.some, _): .lock(nil, isHeld: true)
        case .lock(nil, isHeld: true): .lock(nil, isHeld: false)
        case .lock(nil, isHeld: false): .lockUnusable(.noLocks(path: odd))
        case .lockUnusable: .loggedIn(user: odd, isAccountsOwn: false)
        case .loggedIn: .loggedOut(user: odd, since: now)
        case .loggedOut(_, .some): .loggedOut(user: odd, since: nil)
        case .loggedOut(_, nil): .catalogMissing(path: odd, courses: 2)
        case .catalogMissing: .catalogUnreadable(path: odd)
        case .catalogUnreadable: .otherState(path: odd, user: odd, library: odd, catalogs: [odd])
        case .otherState: .noLibrary(path: odd)
        case .noLibrary: .library(path: odd, network: odd, free: 1)
        case .library: .libraryInMemory(path: odd)
        case .libraryInMemory: .libraryUnusable(.library(.notAFolder(path: odd)))
        case .libraryUnusable: .libraryNotWritable(path: odd)
        case .libraryNotWritable: .diskFull(path: odd, free: 1)
        case .diskFull: .spaceBelowFloor(path: odd, free: 1, floor: 2, isStandard: true)
        case .spaceBelowFloor: .spaceShort(path: odd, free: 1, floor: 0, needed: 2, unknownSizes: 1)
        case .spaceShort: .folderUnreadable(path: odd)
        case .folderUnreadable: .filesMissing(count: 1, example: odd)
        case .filesMissing: .unknownFiles(count: 2, examples: [odd])
        case .unknownFiles: .partials(count: 1, bytes: 1)
        case .partials: .leftovers(count: 1, bytes: 1, areRemoved: false)
        case .leftovers: .stranded(paths: [odd], bytes: 1, areRemoved: true)
        case .stranded: .noPlugins
        case .noPlugins: .noPluginFolder(path: odd)
        case .noPluginFolder: .plugin(name: odd, version: odd, folder: odd, isUsed: true)
        case .plugin: .pluginDefect(name: odd, folder: odd, .cannotStart(odd), isUsed: true)
        case .pluginDefect(_, _, .cannotStart, _): .pluginDefect(name: odd, folder: odd, .ends(odd), isUsed: true)
        case .pluginDefect(_, _, .ends, _): .pluginDefect(name: odd, folder: odd, .breaksProtocol(odd), isUsed: false)
        case .pluginDefect(_, _, .breaksProtocol, _):
            .pluginDefect(name: odd, folder: odd, .silent(odd), isUsed: false)
        case .pluginDefect(_, _, .silent, _): .pluginBroken(name: odd, folder: odd, reason: odd, isUsed: true)
        case .pluginBroken: .pluginWarned(name: odd, warning: odd)
        case .pluginWarned: .pluginHidden(name: odd, folder: odd)
        case .pluginHidden: .providerMissing(name: odd)
        case .providerMissing: .authorities(path: odd)
        case .authorities: .noAuthorities(file: odd, folder: odd)
        case .noAuthorities: .clock(host: odd, skew: 100)
        case .clock: .clockUnknown(host: odd, reason: odd)
        case .clockUnknown: .clockUnchecked
        case .clockUnchecked: .units(path: odd, isEnabled: true)
        case .units(_, isEnabled: true): .units(path: odd, isEnabled: false)
        case .units(_, isEnabled: false): .crontab(path: odd)
        case .crontab: .jsonCheck(path: odd, schemas: odd)
        case .jsonCheck: .ffmpeg(path: odd, version: odd)
        case .ffmpeg(_, .some): .ffmpeg(path: odd, version: nil)
        case .ffmpeg(_, nil): .noFFmpeg
        case .noFFmpeg: .versions(coursefetch: odd, libcurl: odd, tls: odd, sqlite: odd, libyaml: odd, schema: 1)
        case .versions: nil
        }
    }

    @Test("each fact has its own text, without control characters")
    func texts() {
        var texts: Set<String> = []
        var count = 0
        var fact = Self.following(nil)
        while let known = fact {
            count += 1
            let lines = Self.lines([known])
            #expect(!lines[1].trimmingCharacters(in: .whitespaces).isEmpty, "\(known)")
            #expect(!lines.joined().contains { $0 == "\u{1B}" || $0 == "\u{202E}" }, "\(known)")
            let text = DoctorWording.text(known, now: Self.now, zone: Self.utc)
            #expect(!text.isEmpty, "\(known)")
            texts.insert("\(known.topic): \(text)")
            #expect(!DoctorWording.name(known).isEmpty)
            if known.severity == .problem {
                let advice = DoctorWording.advice(known)
                #expect(Self.saysItself(known) || !advice.isEmpty, "\(known)")
            }
            fact = Self.following(known)
        }
        #expect(texts.count == count && count > 50, "\(texts.count) of \(count)")
    }

    /// Whether the message has its way out in it.
    private static func saysItself(_ fact: DiagnosisFact) -> Bool {
        switch fact {
        case .databaseUnusable, .lockUnusable, .libraryUnusable: true
        default: false
        }
    }

    @Test("the settings files are named, those of one user included")
    func files() {
        let lines = DoctorText(style: TerminalStyle(hasColor: false, hasUnicode: true), zone: Self.utc, now: Self.now)
            .lines(Diagnosis(), settings: [], files: [("/c/config.yaml", true), ("/c/users/maths.yaml", false)])
        #expect(
            lines == [
                "Settings", "  file: /c/config.yaml", "  file: /c/users/maths.yaml (there is none)", "",
                "no problems found",
            ])
    }

    @Test("what is installed for unattended syncs is found from the program's path, and whether the timer is enabled")
    func installed() throws {
        let folder = TemporaryFolder()
        var check = UnattendedCheck(
            prefix: URL(filePath: folder.path.string), environment: ["HOME": folder.at("home").string])
        #expect(check.run() == [])
        for name in [
            "systemd/user/coursefetch.timer", "doc/coursefetch/examples/crontab", "doc/coursefetch/examples/check-json",
            "coursefetch/schemas/sync.schema.json",
        ] { try folder.write("", to: "share/" + name) }
        func path(_ name: String) -> String { folder.at("share/" + name).string }
        let rest: [DiagnosisFact] = [
            .crontab(path: path("doc/coursefetch/examples/crontab")),
            .jsonCheck(path: path("doc/coursefetch/examples/check-json"), schemas: path("coursefetch/schemas")),
        ]
        #expect(check.run() == [.units(path: path("systemd/user/coursefetch.timer"), isEnabled: false)] + rest)
        try folder.write("", to: "home/.config/systemd/user/timers.target.wants/coursefetch.timer")
        #expect(check.run() == [.units(path: path("systemd/user/coursefetch.timer"), isEnabled: true)] + rest)
        check.environment["XDG_CONFIG_HOME"] = "/nowhere"
        #expect(check.run() == [.units(path: path("systemd/user/coursefetch.timer"), isEnabled: false)] + rest)
    }
}
