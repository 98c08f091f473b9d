package import Foundation
package import SyncFacts

/// The result of a run, for `--report` and `--on-finish`. Fields may be added, never renamed.
package struct RunReport: Sendable {
    /// The user's name; nil if it was invalid.
    package var user: String?
    /// As they were given.
    package var catalogs: [String]
    package var started: Date
    package var ended: Date
    package var summary: SyncSummary

    package init(user: String?, catalogs: [String], started: Date, ended: Date, summary: SyncSummary) {
        self.user = user
        self.catalogs = catalogs
        self.started = started
        self.ended = ended
        self.summary = summary
    }

    /// One object on one line: the fields of `sync_finished`, with additions from other sources.
    package var json: [UInt8] {
        var line = JSONLine()
        line.field("schema", JSONEvents.schema)
        line.field("version", Version.text)
        line.field("user", user)
        line.field("catalogs", catalogs)
        line.field("started", started)
        line.field("ended", ended)
        JSONEvents.facts(&line, summary)
        line.field("meaning", ExitStatus(summary.conditions).meaning)
        line.field("summary", SummaryText.line(summary))
        line.objects("failures", summary.failures) { line, failure in
            let (reference, error) = failure
            JSONEvents.ids(&line, reference)
            line.field("title", reference.title)
            line.field("selector", Selector(reference).description)
            JSONEvents.error(&line, error)
        }
        line.field("providers_to_log_in", summary.providersToLogIn)
        JSONEvents.logins(&line, summary.loginsNeeded)
        line.field("from_other_source", summary.fromOtherSource)
        return line.finished()
    }
}
