import DownloadStore
package import SyncFacts

/// The last line of a sync that doesn't end with 0: its exit code and the reason.
package enum ExitText {
    /// `exit code 75: stopped by a signal; 3 videos are left for the next sync`; nil for success.
    package static func line(_ summary: SyncSummary) -> String? {
        let status = ExitStatus(summary.conditions)
        guard status != .success else { return nil }
        let parts = parts(status, summary)
        return "exit code \(status.rawValue): \(parts.isEmpty ? status.meaning : parts.joined(separator: "; "))"
    }

    private static func parts(_ status: ExitStatus, _ summary: SyncSummary) -> [String] {
        reasons(status, summary) + unlisted(status, summary)
    }

    private static func unlisted(_ status: ExitStatus, _ summary: SyncSummary) -> [String] {
        guard summary.coursesUnlisted > 0,
            [.workLeft, .providerBroken, .loginNeeded, .failures].contains(status)
        else { return [] }
        return ["\(Wording.count(summary.coursesUnlisted, "course")) with an older listing, or none"]
    }

    private static func reasons(_ status: ExitStatus, _ summary: SyncSummary) -> [String] {
        switch status {
        case .failures: failures(summary)
        case .workLeft: [stop(summary), left(summary)].compactMap(\.self) + leftAlone(summary) + failed(summary)
        case .loginNeeded:
            summary.providersToLogIn.isEmpty
                ? [] : logins(summary.providersToLogIn.sorted()) + failed(summary)
        case .providerBroken: broken(summary) + failed(summary)
        case .stateUnusable: (summary.stopReason == .disk ? ["too little free disk space"] : []) + held(summary)
        default: []
        }
    }

    private static func logins(_ providers: [String]) -> [String] {
        ["\(Wording.list(providers)) \(providers.count == 1 ? "wants" : "want") a login"]
    }

    private static func failures(_ summary: SyncSummary) -> [String] {
        var parts = failed(summary)
        if summary.conditions.contains(.pruneHeld) { parts.append("--prune removed nothing") }
        return parts
    }

    private static func failed(_ summary: SyncSummary) -> [String] {
        let count = summary.downloads[.failed] ?? 0
        return (count > 0 ? ["\(Wording.count(count, "video")) failed"] : [])
            + (summary.sidecarsFailed > 0 ? ["\(Wording.sidecars(summary.sidecarsFailed)) failed"] : [])
    }

    private static func left(_ summary: SyncSummary) -> String? {
        let states: [DownloadState] = [.waiting, .active, .suspended]
        let count = states.reduce(0) { $0 + (summary.downloads[$1] ?? 0) }
        return count > 0 ? "\(Wording.count(count, "video")) left for the next sync" : nil
    }

    /// The servers that are waited for: the first two.
    private static func leftAlone(_ summary: SyncSummary) -> [String] {
        let servers = summary.leftAlone.prefix(2).map { left in
            let name = left.provider.map { Wording.server($0, left.server) } ?? Wording.shown(left.server ?? "")
            return "\(name) is left alone for another \(Wording.duration(left.seconds))"
        }
        let others = summary.leftAlone.count - servers.count
        return servers + (others > 0 ? ["\(Wording.count(others, "other server")), too"] : [])
    }

    /// The reason for an early end.
    static func stop(_ summary: SyncSummary) -> String? { summary.stopReason.map(stop) }

    static func stop(_ reason: SuspendReason) -> String {
        switch reason {
        case .logout: "stopped by a logout"
        case .signal: "stopped by Ctrl-C or a signal"
        case .window: "stopped at the end of the time window"
        case .quota: "stopped when --max-transfer was used up"
        case .disk: "stopped because of too little free disk space"
        case .descriptors: "stopped because this computer is out of processes or files"
        case .auth, .interrupted, .lost: "stopped"
        }
    }

    private static func broken(_ summary: SyncSummary) -> [String] {
        let names = summary.errors.compactMap { problem -> String? in
            if case .refusal(.provider(.broken(let name, _))) = problem { name } else { nil }
        }
        guard !names.isEmpty else { return [] }
        return ["provider \(Wording.list(names)) \(names.count == 1 ? "doesn't" : "don't") work"]
    }

    private static func held(_ summary: SyncSummary) -> [String] {
        let count = summary.errors.count { if case .held = $0 { true } else { false } }
        return count > 0 ? ["\(Wording.count(count, "course")) left unchanged"] : []
    }
}
