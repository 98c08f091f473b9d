import DownloadStore
package import Foundation
package import Operations
import SyncFacts
import Terminal

package struct UsersText {
    var now: Date
    var zone: TimeZone

    package init(now: Date, zone: TimeZone) {
        self.now = now
        self.zone = zone
    }

    /// A user as text: the name and the session, then other facts.
    package func lines(_ user: UserSummary) -> [String] {
        var lines = ["\(user.user)  \(session(user))"]
        if let running = user.running {
            lines.append("  " + Wording.running(running, now: now, zone: zone))
        }
        if let library = user.library { lines.append("  library \(library)") }
        if let videos = videos(user.downloads) { lines.append("  videos  \(videos)") }
        for shard in user.shards {
            let library = shard.library.map { " in \($0)" } ?? ""
            lines.append("  shard \(shard.name)\(library): \(videos(shard.downloads) ?? "no videos")")
            if let running = shard.running { lines.append("    " + Wording.running(running, now: now, zone: zone)) }
        }
        for provider in user.providers {
            var text = "  at \(provider.name) since \(local(provider.savedAt))"
            if let end = provider.expiresAt { text += end <= now ? ", expired \(local(end))" : ", until \(local(end))" }
            lines.append(text)
        }
        lines += user.problems.map { "  problem: \($0.message)" }
        return lines.map(TerminalFormat.printable)
    }

    /// `12 finished, 3 waiting`; nil for none.
    private func videos(_ downloads: [DownloadState: Int]) -> String? {
        let states = DownloadState.allCases.compactMap { state in
            downloads[state].map { "\(Wording.grouped($0)) \(state.rawValue)" }
        }
        return states.isEmpty ? nil : states.joined(separator: ", ")
    }

    private func session(_ user: UserSummary) -> String {
        let own = user.isAccountsOwn ? " (the account's own)" : ""
        guard let isLoggedIn = user.isLoggedIn else { return "unknown\(own)" }
        guard let since = user.since else {
            return (isLoggedIn ? "logged in since the start" : "has never logged in") + own
        }
        return "logged \(isLoggedIn ? "in" : "out") since \(local(since))\(own)"
    }

    private func local(_ date: Date) -> String { ClockFormat.local(date, now: now, zone: zone) }

    package static func json(_ user: UserSummary) -> [UInt8] {
        var line = JSONLine()
        line.field("user", user.user)
        line.field("own", user.isAccountsOwn)
        if let isLoggedIn = user.isLoggedIn {
            line.field("logged_in", isLoggedIn)
        } else {
            line.field("logged_in", nil as String?)
        }
        line.field("since", user.since)
        line.field("library", user.library)
        fill(&line, user.downloads, user.running)
        line.objects("shards", user.shards) { line, shard in
            line.field("shard", shard.name)
            line.field("library", shard.library)
            fill(&line, shard.downloads, shard.running)
        }
        line.objects("providers", user.providers) { line, provider in
            line.field("provider", provider.name)
            line.field("saved_at", provider.savedAt)
            line.field("expires_at", provider.expiresAt)
        }
        line.field("problems", user.problems.map(\.message))
        return line.finished()
    }

    private static func fill(_ line: inout JSONLine, _ downloads: [DownloadState: Int], _ running: RunningSync?) {
        line.object("downloads") { line in
            for (state, name) in names { line.field(name, downloads[state] ?? 0) }
        }
        guard let running else { return line.field("running", nil as String?) }
        line.object("running") { line in
            line.field("pid", Int64(running.pid))
            line.field("host", running.host)
            line.field("since", running.since)
            line.field("activity", running.activity.rawValue)
        }
    }

    /// Field names are constants.
    private static let names: [(DownloadState, StaticString)] = [
        (.waiting, "waiting"), (.active, "active"), (.paused, "paused"), (.suspended, "suspended"),
        (.finished, "finished"), (.failed, "failed"), (.cancelled, "cancelled"),
    ]
}
