import DownloadStore
import FileSystem
package import Foundation
package import Operations
import SyncFacts
package import Terminal

/// The text output of `verify`.
package struct VerifyText {
    /// Whether it was called with `--repair`.
    let repairs: Bool
    /// The style: with colours or not.
    let style: TerminalStyle

    package init(repairs: Bool, style: TerminalStyle) {
        self.repairs = repairs
        self.style = style
    }

    /// All lines of a result: files that aren't intact, and a summary.
    package func lines(_ result: Verification) -> [String] {
        // Without records there may be thousands, none of them interesting.
        let told = result.findings.filter { !isPlainlyUnrecorded($0) }
        return told.flatMap(lines) + unrecorded(result) + [summary(result)]
    }

    private func lines(_ file: VerifiedFile) -> [String] {
        let mark = TerminalFormat.fit(word(file.verdict), to: Self.markWidth)
        let indent = String(repeating: " ", count: Self.markWidth + 2)
        let role: TerminalStyle.Role = file.verdict.isDamage ? .bad : .notice
        var lines = ["\(style.paint(mark, role))  \(style.text(file.path))"]
        let facts = [self.facts(file), remedy(file)].compactMap(\.self).joined(separator: "; ")
        if !facts.isEmpty { lines.append(indent + style.text(facts)) }
        if let command = command(file) { lines.append(indent + style.text(command)) }
        return lines
    }

    private static let markWidth = 10

    private func word(_ verdict: VerifiedFile.Verdict) -> String {
        switch verdict {
        case .intact: "intact"
        case .unrecorded: "unproven"
        case .missing: "missing"
        case .changed: "changed"
        case .unreadable: "unreadable"
        }
    }

    private func facts(_ file: VerifiedFile) -> String? {
        switch file.verdict {
        case .intact, .missing: return nil
        case .unrecorded:
            return "it was stored without a SHA-256 (--no-checksum, or migrate --link) and has changed since"
        case .changed(let size, _) where size != file.size:
            return "it has \(Wording.grouped(Int(size))) bytes instead of \(Wording.grouped(Int(file.size)))"
        case .changed: return "its content has changed since it was downloaded"
        case .unreadable(let error): return error.sentence
        }
    }

    private func remedy(_ file: VerifiedFile) -> String? {
        switch file.remedy {
        case .nothing: file.verdict.isDamage ? "nothing was changed" : nil
        case .willBeFetched: "the next sync downloads it"
        case .willBeReplaced: "the next sync downloads it again, and keeps this one until then"
        case .recorded: "its SHA-256 is recorded now"
        case .needsRetry: "it comes with the video"
        case .goneFromCatalog: "it is no longer listed; sync --prune removes it"
        case .held: "many files of its course are missing, so the state wasn't changed: is the disk mounted?"
        case .changedMeanwhile: "it changed during the check; verify it again"
        case .willBeMoved: "its move isn't complete; the next sync completes it"
        }
    }

    /// The command to paste.
    private func command(_ file: VerifiedFile) -> String? {
        let selector = ShellWord.quoted(Selector(file.reference).description)
        switch (file.verdict, file.remedy) {
        case (.changed, .nothing) where !repairs && file.role == .video,
            (.unreadable, .nothing) where !repairs && file.role == .video:
            return SuggestedCommand.text("verify \(selector) --repair")
        case (.changed, .nothing) where !repairs: return SuggestedCommand.text("verify --repair")
        case (_, .needsRetry), (.unrecorded(isTouched: true), .nothing):
            return SuggestedCommand.text("retry \(selector)")
        default: return nil
        }
    }

    private func isPlainlyUnrecorded(_ file: VerifiedFile) -> Bool { file.verdict == .unrecorded(isTouched: false) }

    private func unrecorded(_ result: Verification) -> [String] {
        let files = result.findings.filter(isPlainlyUnrecorded)
        guard !files.isEmpty else { return [] }
        let recorded = files.count { $0.remedy == .recorded }
        let open = files.count - recorded
        let reason = "--no-checksum, or migrate --link"
        var lines: [String] = []
        if recorded > 0 {
            lines.append(
                """
                \(Wording.count(recorded, "file")) (stored without a SHA-256: \(reason)): that of their present \
                content was recorded
                """)
        }
        if open > 0 {
            let advice = repairs ? "" : "; to record it now: \(SuggestedCommand.text("verify --repair"))"
            lines.append(
                """
                \(Wording.count(open, "file")) can't be checked: no SHA-256 was recorded (stored without one: \
                \(reason))\(advice)
                """)
        }
        return lines
    }

    private func summary(_ result: Verification) -> String {
        let videos = result.findings.filter { $0.role == .video }
        let damaged = videos.filter(\.verdict.isDamage)
        let missing = damaged.count { $0.verdict == .missing }
        let unreadable = damaged.count { if case .unreadable = $0.verdict { true } else { false } }
        let changed = damaged.count - missing - unreadable
        let unproven = videos.count - damaged.count
        let intact = result.progress.files - videos.count
        var parts = [style.paint("\(Wording.grouped(intact)) as recorded", .good)]
        if unproven > 0 { parts.append("\(Wording.grouped(unproven)) unproven") }
        if missing > 0 { parts.append(style.paint("\(Wording.grouped(missing)) missing", .bad)) }
        if unreadable > 0 { parts.append(style.paint("\(Wording.grouped(unreadable)) unreadable", .bad)) }
        if changed > 0 { parts.append(style.paint("\(Wording.grouped(changed)) changed", .bad)) }
        let beside = result.findings.count { $0.role != .video && $0.verdict.isDamage }
        if beside > 0 {
            let files = Wording.grouped(beside)
            parts.append(style.paint("\(files) of \(Wording.count(result.sidecars, "file")) beside them", .bad))
        }
        let files = Wording.count(result.progress.files, "file")
        let end = result.isStopped ? "; stopped before the end" : ""
        return "\(files), \(Wording.size(result.progress.bytes)): \(parts.joined(separator: ", "))\(end)"
    }
}

/// The progress line of `verify`.
package struct VerifyProgressText {
    private var meter = SpeedMeter()

    package init(meter: SpeedMeter = SpeedMeter()) {
        self.meter = meter
    }

    /// Records the progress and returns the line, at most `columns` wide.
    package mutating func line(_ progress: VerificationProgress, columns: Int, now: Date) -> String {
        meter.add(progress.bytes - meter.total, at: now)
        let rate = meter.bytesPerSecond(at: now)
        var parts = [
            "\(Wording.grouped(progress.files)) of \(Wording.count(progress.allFiles, "file"))",
            "\(Wording.size(progress.bytes)) of \(Wording.size(progress.allBytes))",
        ]
        if rate > 0 {
            let left = Double(max(0, progress.allBytes - progress.bytes)) / Double(rate)
            parts += [Wording.rate(rate), "\(Wording.duration(left)) left"]
        }
        return TerminalFormat.cut(" " + parts.joined(separator: ", "), to: columns)
    }
}

/// The output of `verify --json`: one object per file, and a last one with the sums.
package enum VerifyJSON {
    package static func line(_ file: VerifiedFile, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("file_verified", at: now)
        JSONEvents.whole(&line, file.reference)
        switch file.role {
        case .video: line.field("role", "video")
        case .sidecar(let kind, let name):
            line.field("role", kind.rawValue)
            line.field("name", name)
        case .cover: line.field("role", "course_cover")
        }
        line.field("path", file.path)
        line.field("size", file.size)
        line.field("sha256", file.sha256)
        if let checksums = file.checksums {
            line.object("checksums") { line in
                for (algorithm, hex) in checksums.list {
                    switch algorithm {
                    case .md5: line.field("md5", hex)
                    case .sha1: line.field("sha1", hex)
                    case .crc32: line.field("crc32", hex)
                    }
                }
            }
        }
        switch file.verdict {
        case .intact: line.field("result", "intact")
        case .unrecorded: line.field("result", "unrecorded")
        case .missing: line.field("result", "missing")
        case .changed(let size, let sha256):
            line.field("result", "changed")
            line.field("found_size", size)
            line.field("found_sha256", sha256)
        case .unreadable(let error):
            line.field("result", "unreadable")
            line.field("message", error.sentence)
        }
        line.field("remedy", name(file.remedy))
        return line.finished()
    }

    /// The last line.
    package static func summary(_ result: Verification, exit: ExitStatus, now: Date) -> [UInt8] {
        var line = JSONLine()
        line.event("verify_finished", at: now)
        line.field("exit", Int(exit.rawValue))
        line.field("files", result.progress.files)
        line.field("bytes", result.progress.bytes)
        line.field("damaged", result.findings.count { $0.verdict.isDamage })
        line.field("complete", !result.isStopped)
        line.field("refused", result.refusal?.message)
        JSONEvents.leftOut(&line, result.leftOut)
        return line.finished()
    }

    private static func name(_ remedy: VerifiedFile.Remedy) -> String? {
        switch remedy {
        case .nothing: nil
        case .willBeFetched: "fetch"
        case .willBeReplaced: "replace"
        case .recorded: "recorded"
        case .needsRetry: "retry"
        case .goneFromCatalog: "gone"
        case .held: "held"
        case .changedMeanwhile: "verify_again"
        case .willBeMoved: "move"
        }
    }
}
