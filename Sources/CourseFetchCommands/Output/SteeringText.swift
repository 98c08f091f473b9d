package import DownloadRunner
package import DownloadStore

/// What the commands that change downloads say.
package enum SteeringText {
    /// A line for the person.
    package struct Line: Sendable, Equatable {
        /// What it says.
        package var text: String
        /// It is about something that wasn't done.
        package var isComplaint: Bool
    }

    /// More than these are counted, not listed.
    private static let most = 20

    /// `14 files (1.20 GiB)`.
    static func files(_ choice: SteeringChoice) -> String {
        "\(Wording.count(choice.files, "file")) (\(Wording.size(choice.bytes)))"
    }

    /// What became of downloads that were to be paused, resumed, cancelled, retried or removed.
    package static func lines(_ report: SteeringReport, _ transition: StateTransition) -> [Line] {
        var lines = counts(report, done: done(transition, report), same: same(transition))
        for item in report.items where item.outcome.verdict == .fileKept {
            lines.append(
                Line(
                    text: "\(name(item)): its file was changed since it arrived, so it stays", isComplaint: true))
        }
        return lines + refusals(report) { refusal($0, transition) }
    }

    /// What became of downloads that were to get another priority.
    package static func lines(_ report: SteeringReport, _ wish: PriorityWish) -> [Line] {
        let done =
            switch wish {
            case .now: report.isLive ? "started at once, or next where its host has no room" : "first in the next sync"
            case .catalog: "back to the catalog's priority"
            case .level(let level): "priority \(level)"
            }
        return counts(report, done: done, same: "had that priority already")
            + refusals(report) { state in
                switch state {
                case .paused: "it is paused: resume it first"
                default: "it is \(state.rawValue)"
                }
            }
    }

    private static func counts(_ report: SteeringReport, done: String, same: String) -> [Line] {
        if report.items.isEmpty { return [Line(text: "nothing to do: no download is selected", isComplaint: false)] }
        var parts: [String] = []
        let verdicts = Dictionary(grouping: report.items, by: \.outcome.verdict).mapValues(\.count)
        let changed = (verdicts[.changed] ?? 0) + (verdicts[.fileKept] ?? 0)
        if changed > 0 { parts.append("\(Wording.count(changed, "video")) \(done)") }
        if let count = verdicts[.same] { parts.append("\(Wording.grouped(count)) \(same)") }
        if let count = verdicts[.refused] { parts.append("\(Wording.grouped(count)) refused") }
        return [Line(text: parts.joined(separator: ", "), isComplaint: false)]
    }

    private static func refusals(_ report: SteeringReport, _ reason: (DownloadState) -> String) -> [Line] {
        let refused = report.items.filter { $0.outcome.verdict == .refused }
        var lines = refused.prefix(most).map {
            Line(text: "\(name($0)): \(reason($0.outcome.before))", isComplaint: true)
        }
        if refused.count > most {
            lines.append(Line(text: "and \(Wording.grouped(refused.count - most)) more", isComplaint: true))
        }
        return lines
    }

    private static func name(_ item: SteeringReport.Item) -> String { Selector(item.reference).description }

    private static func done(_ transition: StateTransition, _ report: SteeringReport) -> String {
        let then = report.isLive ? "" : " by the next sync"
        return switch transition {
        case .pause: "paused"
        case .resume: "resumed\(report.isLive ? "" : ", to go on in the next sync")"
        case .cancel: "cancelled"
        case .retry: "to be tried again\(then)"
        case .remove: "removed"
        default: transition.rawValue
        }
    }

    private static func same(_ transition: StateTransition) -> String {
        switch transition {
        case .pause: "paused already"
        case .resume: "not paused"
        case .cancel: "cancelled already"
        case .retry: "waiting already"
        case .remove: "removed already"
        default: "as before"
        }
    }

    private static func refusal(_ state: DownloadState, _ transition: StateTransition) -> String {
        switch (state, transition) {
        case (.finished, .cancel): "it is finished; to delete it use: coursefetch remove"
        case (.failed, .resume), (.cancelled, .resume): "it is \(state.rawValue); use: coursefetch retry"
        case (.active, .retry): "it is in progress"
        case (_, .remove): "its library can't be reached"
        default: "it is \(state.rawValue)"
        }
    }
}
