package import Foundation
package import Operations
import SyncFacts

/// The output of `doctor --json`: one object for each finding and each setting, and a last one with the sums.
package enum DoctorJSON {
    package static func line(_ fact: DiagnosisFact, now: Date, zone: TimeZone) -> [UInt8] {
        var line = JSONLine()
        line.event("finding", at: now)
        line.field("topic", fact.topic.rawValue)
        line.field("check", DoctorWording.name(fact))
        line.field("severity", fact.severity.rawValue)
        line.field("message", DoctorWording.text(fact, now: now, zone: zone))
        line.field("advice", DoctorWording.advice(fact))
        return line.finished()
    }

    package static func line(_ row: SettingInEffect, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("setting", at: now)
        line.field("name", row.name)
        line.field("value", row.value == "–" ? nil : row.value)
        line.field("origin", row.origin)
        return line.finished()
    }

    package static func summary(_ diagnosis: Diagnosis, exit: ExitStatus, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("doctor_finished", at: now)
        line.field("exit", Int(exit.rawValue))
        line.field("problems", diagnosis.count(.problem))
        line.field("warnings", diagnosis.count(.warning))
        line.field("refused", diagnosis.refusal?.message)
        return line.finished()
    }
}
