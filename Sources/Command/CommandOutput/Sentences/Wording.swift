package import DownloadStore
package import FileSystem
package import Foundation
import Operations
package import SyncFacts

/// The text forms of sizes, rates, times and counts.
package enum Wording {
    /// A size in binary units with three digits at least: `512 B`, `9.77 MiB`, `97.7 MiB`, `1.91 GiB`.
    package static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
        var value = Double(max(0, bytes))
        var unit = 0
        // 1023.95 would be written as 1024: it belongs to the next unit.
        while value >= (unit == 0 ? 1024 : 999.5), unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        guard unit > 0 else { return "\(max(0, bytes)) B" }
        return "\(decimal(value)) \(units[unit])"
    }

    /// A sum of sizes, as one size.
    static func size(_ bytes: ByteCount) -> String { size(bytes.value) }

    /// A rate: `12.3 MiB/s`.
    package static func rate(_ bytesPerSecond: Int64) -> String { size(bytesPerSecond) + "/s" }

    /// A duration, short: `0s`, `41s`, `2m10s`, `1h02m`, `3d04h`.
    package static func duration(_ seconds: Double) -> String {
        let total = Int(min(max(seconds.isFinite ? seconds : 0, 0).rounded(), 1e9))
        switch total {
        case ..<60: return "\(total)s"
        case ..<3600: return "\(total / 60)m\(twoDigits(total % 60))s"
        case ..<86400: return "\(total / 3600)h\(twoDigits(total % 3600 / 60))m"
        default: return "\(total / 86400)d\(twoDigits(total % 86400 / 3600))h"
        }
    }

    /// Seconds with one decimal: `2.1`.
    static func tenths(_ seconds: Double) -> String {
        let tenths = Int((min(max(seconds, 0), 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// A whole percentage that is 100 only when everything is there.
    package static func percent(_ fraction: Double) -> String {
        guard fraction.isFinite else { return "0%" }
        return "\(fraction >= 1 ? 100 : min(99, max(0, Int(fraction * 100))))%"
    }

    /// `1 video`, `14 videos`.
    package static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// `3 covers, subtitles or attachments`.
    static func sidecars(_ number: Int) -> String {
        count(number, "cover, subtitle or attachment", "covers, subtitles or attachments")
    }

    /// The activity of the process that holds a user's lock.
    static func running(_ running: RunningSync, now: Date, zone: TimeZone) -> String {
        let since = ClockFormat.local(running.since, now: now, zone: zone)
        let who = "process \(running.pid) on \(running.host)"
        return switch running.activity {
        case .syncing: "syncing since \(since) (\(who))"
        case .watching: "watching since \(since) (\(who))"
        case .stopping: "a sync is stopping (\(who))"
        case .waitingForLogin: "a sync waits for a login (\(who))"
        }
    }

    /// A new listing of a course; nil if it has the same videos as before.
    package static func listed(_ listed: CourseListed) -> String? {
        guard listed.was == nil || listed.added + listed.removed > 0 else { return nil }
        var parts = [count(listed.videos, "video")]
        if listed.was != nil, listed.added > 0 { parts.append("\(grouped(listed.added)) new") }
        if listed.removed > 0 { parts.append("\(grouped(listed.removed)) gone") }
        return "listed    \(Selector(course: listed.course)): \(parts.joined(separator: ", "))"
    }

    /// What a provider's list of courses has brought: `listed    the courses of moodle: 5 courses, 1 new`.
    package static func listed(_ listed: CoursesListed) -> String {
        var parts = [count(listed.courses, "course")]
        if listed.was != nil, listed.added > 0 { parts.append("\(grouped(listed.added)) new") }
        if listed.removed > 0 { parts.append("\(grouped(listed.removed)) gone") }
        return "listed    the courses of \(listed.provider): \(parts.joined(separator: ", "))"
    }

    /// The consequences for a video that is no longer in its catalog.
    package static func gone(path: String?) -> String {
        path == nil ? "no longer listed" : "no longer listed; the file stays"
    }

    /// The reason why an idle sync doesn't end.
    package static func resumeWaiting(until: Date, now: Date, zone: TimeZone) -> String {
        let time = ClockFormat.local(until, now: now, zone: zone)
        return "until \(time) for \(SuggestedCommand.text("resume --paused")): everything is paused"
    }

    /// The sync that this one waits for: `for the sync of a.yaml, running since 02:30 (process 4711 on nas), until
    /// 03:30 at most`.
    package static func lockWaiting(_ holder: LockHolder?, until: Date, now: Date, zone: TimeZone) -> String {
        let left = until.timeIntervalSince(now)
        // A clock without seconds would show the current minute.
        let limit =
            left < 60
            ? "for \(Int(left.rounded(.up))) s" : "until \(ClockFormat.local(until, now: now, zone: zone))"
        let end = "\(limit) at most"
        guard let holder else { return "for another sync of this user, \(end)" }
        let catalogs =
            holder.catalogs.isEmpty ? "another command" : "the sync of \(holder.catalogs.joined(separator: ", "))"
        let since = ClockFormat.local(holder.since, now: now, zone: zone)
        return "for \(catalogs), running since \(since) (process \(holder.pid) on \(holder.host)), \(end)"
    }

    /// A server as it is called in sentences: `media.example.org:8080` for a host's, `feed at media.example.org` for a
    /// provider's.
    package static func server(_ name: String, _ server: String?) -> String {
        guard let server else { return name }
        let shown = shown(server)
        return shown.hasPrefix(name) ? shown : "\(name) at \(shown)"
    }

    /// A server without its scheme.
    static func shown(_ server: String) -> String {
        server.range(of: "://").map { String(server[$0.upperBound...]) } ?? server
    }

    /// The reason why a host or provider gets no requests for a while, by the kind in the events: `uni is rate-limiting
    /// us; waiting until 22:45`, or `waiting 40s`.
    package static func waiting(_ name: String, _ kind: String, until: Date, now: Date, zone: TimeZone) -> String {
        let problem: String? =
            switch DownloadError.Kind(rawValue: kind) {
            case .httpStatus: "\(name) answers with errors"
            case .rateLimited: "\(name) is rate-limiting us"
            case .network: "no connection to \(name)"
            case .tls: "no secure connection to \(name)"
            case .stalled: "\(name) sends nothing"
            case .truncated: "\(name) ends files too early"
            case .unavailable: "\(name) isn't available"
            case let kind?: "\(name): \(Explainer.meaning(kind))"
            case nil: nil
            }
        let left = until.timeIntervalSince(now)
        // A clock without seconds would show the present minute.
        let time = left < 100 ? duration(max(1, left)) : "until \(ClockFormat.local(until, now: now, zone: zone))"
        return problem.map { "\($0); waiting \(time)" } ?? "waiting for \(name) \(time)"
    }

    /// What a run leaves alone, each once, with ``waiting(_:_:until:now:zone:)``.
    package static func waits(_ waits: [RunWait], now: Date, zone: TimeZone) -> [(name: String, text: String)] {
        let named = Dictionary(grouping: waits) { server($0.name, $0.server) }
        return named.sorted { $0.key < $1.key }.compactMap { name, waits in
            waits.max { $0.until < $1.until }.map { wait in
                (name, waiting(name, wait.kind, until: wait.until, now: now, zone: zone))
            }
        }
    }

    /// `100,000`.
    package static func grouped(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return (number < 0 ? "-" : "") + result
    }

    /// Joins `a`, `a and b`, `a, b and c`.
    static func list(_ items: [String], _ conjunction: String = "and") -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }

    private static func decimal(_ value: Double) -> String {
        let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let scale = places == 2 ? 100.0 : places == 1 ? 10 : 1
        let scaled = Int((value * scale).rounded())
        switch places {
        case 2: return "\(scaled / 100).\(twoDigits(scaled % 100))"
        case 1: return "\(scaled / 10).\(scaled % 10)"
        default: return "\(scaled)"
        }
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
