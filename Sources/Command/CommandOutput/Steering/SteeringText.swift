package import DownloadStore
import FileSystem
package import Foundation
import MediaLibrary
package import RunAccess
import SyncFacts
import SystemPackage
import Terminal

/// The messages of the commands that change downloads.
package enum SteeringText {
    package struct Line: Sendable, Equatable {
        /// What it says.
        package var text: String
        /// It reports something that wasn't done.
        package var isComplaint: Bool
    }

    /// More than this are counted, not listed.
    private static let most = 20

    /// `14 files (1.20 GiB)`.
    package static func files(_ choice: SteeringChoice) -> String {
        "\(Wording.count(choice.files, "file")) (\(Wording.size(choice.bytes)))"
    }

    /// The results for downloads to pause, resume, cancel, retry or remove.
    ///
    /// - Parameter startsSync: whether a sync starts now, if none is running.
    package static func lines(
        _ report: SteeringReport, _ transition: StateTransition, startsSync: Bool = false
    ) -> [Line] {
        var lines = counts(
            report, transition, done: done(transition, report, startsSync), same: same(transition))
        let isChanged = report.items.contains { $0.outcome.verdict == .changed }
        if transition == .retry, isChanged, !report.isLive, !startsSync {
            lines.append(
                Line(
                    text: "no sync is running; to start one, give the same command with --now",
                    isComplaint: false))
        }
        for item in report.items where item.outcome.verdict == .fileKept {
            let file = item.outcome.obstacle?.path ?? "its file"
            lines.append(
                Line(text: "\(name(item)): \(file) was changed after the download and stays", isComplaint: true))
        }
        return lines + complaints(report, transition) { refusal($0, transition) }
    }

    /// The results for downloads to get another priority.
    package static func lines(_ report: SteeringReport, _ newPriority: PriorityChange) -> [Line] {
        let done =
            switch newPriority {
            case .now:
                report.isLive ? sooner(report) : ("comes first in the next sync", "come first in the next sync")
            case .catalog: ("has the catalog's priority again", "have the catalog's priority again")
            case .level(let level): ("now has priority \(level)", "now have priority \(level)")
            }
        return counts(report, nil, done: done.0, several: done.1, same: "already had that priority")
            + complaints(report, nil) { item in
                switch item.outcome.before {
                case .paused: "it is paused; to resume it first: \(SuggestedCommand.text("resume \(name(item))"))"
                default: "it is \(item.outcome.before.rawValue)"
                }
            }
    }

    /// What `--to now` does to the downloads of a running sync: those that are active go on.
    private static func sooner(_ report: SteeringReport) -> (String, String) {
        let changed = report.items.filter { $0.outcome.verdict == .changed }
        let active = changed.count { $0.outcome.before == .active }
        if active == changed.count { return ("is running already, and goes on", "are running already, and go on") }
        let rest =
            active > 0 ? "; \(Wording.grouped(active)) of them \(active == 1 ? "is" : "are") running already" : ""
        return (
            "starts now, or as soon as its host has room", "start now, or as soon as their hosts have room" + rest
        )
    }

    /// The message with the settings that `set` has applied.
    package static func line(_ settings: RunSettings) -> String {
        let parts = [
            settings.jobsAuto == true
                ? "as many downloads at a time as make it faster"
                : settings.jobs.map { "\(Wording.count($0, "download")) at a time" },
            settings.limitRate.map { $0 == 0 ? "no limit for each download" : "\(Wording.rate($0)) for each download" },
            settings.bandwidth.map { $0 == "off" ? "no limit for all together" : "\($0) for all together" },
        ]
        return TerminalFormat.printable("now in force: \(parts.compactMap(\.self).joined(separator: ", "))")
    }

    /// What is in force from now on, as JSON; a limit of 0 is none.
    package static func json(_ settings: RunSettings, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("run_changed", at: now)
        line.field("jobs", settings.jobs)
        line.field("jobs_auto", settings.jobsAuto)
        line.field("limit_rate", settings.limitRate)
        line.field("bwlimit", settings.bandwidth)
        return line.finished()
    }

    /// What became of one download, as JSON. `command` is what was typed.
    package static func json(
        _ item: SteeringReport.Item, _ command: String, _ transition: StateTransition?, isLive: Bool, now: Date
    ) -> [UInt8] {
        var line = JSONLine()
        line.event("download_changed", at: now)
        line.field("command", command)
        JSONEvents.whole(&line, item.reference)
        let isSame = item.outcome.verdict == .refused && needsNothing(item.outcome.before, transition)
        line.field("result", isSame ? "same" : code(item.outcome.verdict))
        line.field("was", item.outcome.before.rawValue)
        line.field("by_running_sync", isLive)
        return line.finished()
    }

    /// The last line of such a list.
    package static func json(_ report: SteeringReport, _ command: String, exit: ExitStatus, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("command_finished", at: now)
        line.field("command", command)
        line.field("exit", Int(exit.rawValue))
        line.field("changed", report.items.count { $0.outcome.verdict == .changed || $0.outcome.verdict == .fileKept })
        line.field("selected", report.items.count)
        line.field("by_running_sync", report.isLive)
        JSONEvents.leftOut(&line, report.refusals)
        return line.finished()
    }

    private static func code(_ verdict: SteeringOutcome.Verdict) -> String {
        switch verdict {
        case .changed: "changed"
        case .same: "same"
        case .refused: "refused"
        case .fileKept: "file_kept"
        case .fileNotRemoved: "file_not_removed"
        }
    }

    private static func counts(
        _ report: SteeringReport, _ transition: StateTransition?, done: String, several: String? = nil, same: String
    ) -> [Line] {
        if report.items.isEmpty { return [Line(text: "nothing to do: no video is selected", isComplaint: false)] }
        if report.items.count == 1, let item = report.items.first, item.outcome.verdict == .refused,
            needsNothing(item.outcome.before, transition)
        {
            let text = "nothing to do: \(name(item)) is \(item.outcome.before.rawValue)"
            return [Line(text: text, isComplaint: false)]
        }
        var parts: [String] = []
        let verdicts = Dictionary(grouping: report.items, by: \.outcome.verdict).mapValues(\.count)
        let changed = (verdicts[.changed] ?? 0) + (verdicts[.fileKept] ?? 0)
        if changed > 0 { parts.append("\(Wording.count(changed, "video")) \(changed == 1 ? done : several ?? done)") }
        if let count = verdicts[.same] { parts.append("\(Wording.grouped(count)) \(same)") }
        if let count = verdicts[.fileNotRemoved] { parts.append("\(Wording.grouped(count)) couldn't be removed") }
        if let text = leftAlone(report) { parts.append(text) }
        return [Line(text: parts.joined(separator: "; "), isComplaint: false)]
    }

    /// The failures that are reported one by one, and that make the command fail: downloads named by a selector of
    /// their own, and those whose files can't be removed. Refusals among many selected downloads are only counted, as
    /// are downloads that need no change.
    package static func failures(_ report: SteeringReport, _ transition: StateTransition?) -> [SteeringReport.Item] {
        report.items.filter {
            if $0.outcome.verdict == .fileNotRemoved { return true }
            return $0.outcome.verdict == .refused && ($0.isNamed || transition == .remove)
                && !needsNothing($0.outcome.before, transition)
        }
    }

    /// Whether a download needs no change; a nil transition is a priority, which finished downloads don't need.
    private static func needsNothing(_ state: DownloadState, _ transition: StateTransition?) -> Bool {
        transition.map(state.isBeyond) ?? (state == .finished)
    }

    private static func complaints(
        _ report: SteeringReport, _ transition: StateTransition?, _ reason: (SteeringReport.Item) -> String
    ) -> [Line] {
        let failures = failures(report, transition)
        var lines = failures.prefix(most).map {
            Line(text: "\(name($0)): \(reason($0))", isComplaint: true)
        }
        if failures.count > most {
            lines.append(Line(text: "and \(Wording.grouped(failures.count - most)) more", isComplaint: true))
        }
        return lines
    }

    /// `88 left alone: 80 finished, 8 cancelled`, by state.
    private static func leftAlone(_ report: SteeringReport) -> String? {
        let refused = report.items.filter { $0.outcome.verdict == .refused }
        guard !refused.isEmpty else { return nil }
        let states = Dictionary(grouping: refused, by: \.outcome.before).mapValues(\.count)
        let named = DownloadState.allCases.compactMap { state in
            states[state].map { states.count == 1 ? state.rawValue : "\(Wording.grouped($0)) \(state.rawValue)" }
        }
        return "\(Wording.grouped(refused.count)) unchanged: \(named.joined(separator: ", "))"
    }

    private static func name(_ item: SteeringReport.Item) -> String {
        ShellWord.quoted(Selector(item.reference).description)
    }

    private static func done(
        _ transition: StateTransition, _ report: SteeringReport, _ startsSync: Bool = false
    ) -> String {
        let then = report.isLive ? "" : " by the next sync"
        return switch transition {
        case .pause: "paused"
        case .resume: "resumed\(report.isLive ? "" : "; the next sync continues")"
        case .cancel: "cancelled"
        case .retry: "will be tried again\(report.isLive ? " by the running sync" : startsSync ? " now" : then)"
        case .remove: "removed"
        default: transition.rawValue
        }
    }

    private static func same(_ transition: StateTransition) -> String {
        switch transition {
        case .pause: "already paused"
        case .resume: "not paused"
        case .cancel: "already cancelled"
        case .retry: "already waiting"
        case .remove: "already removed"
        default: "as before"
        }
    }

    private static func refusal(_ item: SteeringReport.Item, _ transition: StateTransition) -> String {
        let state = item.outcome.before
        if let obstacle = item.outcome.obstacle {
            guard let errno = obstacle.errno else {
                return "a sync couldn't finish moving '\(obstacle.path)'; sync again, then remove it"
            }
            return LibraryError.system(.remove, path: obstacle.path, Errno(rawValue: errno)).sentence
        }
        return switch (state, transition) {
        case (.finished, .cancel): "it is finished; to delete it: \(SuggestedCommand.text("remove \(name(item))"))"
        case (.failed, .resume), (.cancelled, .resume):
            "it is \(state.rawValue); to try again: \(SuggestedCommand.text("retry \(name(item))"))"
        case (_, .remove): "its library can't be reached"
        default: "it is \(state.rawValue)"
        }
    }
}
