package import Foundation
import MediaLibrary
package import Operations
import SyncFacts
import Terminal

/// The text output of `copy`.
package struct CopyText {
    /// The command that continues it, without the places.
    let command: String

    package init(_ wish: CopyWish) {
        var words = ["copy"] + wish.selectors.map { ShellWord.quoted($0.description) }
        words += ["--to", ShellWord.quoted(wish.folder)]
        if wish.prunes { words.append("--prune") }
        if !wish.verifies { words.append("--no-verify") }
        command = words.joined(separator: " ")
    }

    /// The first line; nil if there is nothing to copy.
    package func begun(_ folder: String, _ progress: CopyProgress) -> String? {
        let count = progress.allVideos - progress.videos
        guard count > 0 else { return nil }
        let size = Wording.size(progress.allBytes)
        return TerminalFormat.printable("copying \(Wording.count(count, "video")) (\(size)) to \(folder)")
    }

    /// The line about a video that is in the copy now.
    package func copied(_ path: String, bytes: Int64, isUpdate: Bool) -> String {
        let word = isUpdate ? "updated   " : "copied    "
        return TerminalFormat.printable("\(word)\(path) (\(Wording.size(bytes)))")
    }

    /// The line about a file that isn't in the copy, or not in its present form.
    package func warning(_ problem: LibraryCopy.Problem) -> String {
        TerminalFormat.printable("warning: \(problem.path) wasn't copied: \(reason(problem))")
    }

    private func reason(_ problem: LibraryCopy.Problem) -> String {
        let selector =
            problem.reference.video.isEmpty
            ? Selector(course: problem.reference.course).description
            : Selector(problem.reference).description
        let verify = "verify \(ShellWord.quoted(selector))"
        switch problem.kind {
        case .missing: return "it is missing in the library; see: \(SuggestedCommand.text(verify))"
        case .changed:
            return """
                it isn't as it was downloaded; to download it again: \(SuggestedCommand.text("\(verify) --repair"))
                """
        case .unreadable(let error), .unwritable(let error): return error.sentence
        case .tooLarge:
            return """
                it has \(Wording.size(problem.size)), and this disk takes no file of 4 GiB or more (FAT32); a disk \
                with exFAT does
                """
        case .inTheWay: return "something else is in its place in the copy, and stays; move it away"
        case .notAsWritten: return "the disk gave other bytes back than were written, so that it can't be trusted"
        }
    }

    /// The last lines.
    package func summary(_ result: LibraryCopy) -> [String] {
        var parts: [String] = []
        if result.copied > 0 { parts.append("\(Wording.grouped(result.copied)) copied") }
        if result.updated > 0 { parts.append("\(Wording.grouped(result.updated)) updated") }
        if result.present > 0 { parts.append("\(Wording.grouped(result.present)) there already") }
        if result.removed > 0 { parts.append("\(Wording.grouped(result.removed)) removed") }
        let lacking = Set(result.problems.filter(\.lacksVideo).map(\.reference)).count
        if lacking > 0 { parts.append("\(Wording.grouped(lacking)) not copied") }
        let count = Wording.count(result.progress.allVideos, "finished video")
        let sums = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
        var lines = ["\(count) for \(result.folder)\(sums)"]
        if result.renamed > 0 {
            let names = result.renamed == 1 ? "has another name" : "have other names"
            let files = Wording.count(result.renamed, "file")
            lines.append("\(files) \(names) there, since its disk takes fewer characters")
        }
        return lines.map { TerminalFormat.printable($0) }
    }

    /// Why it ended before its end, and how it goes on; nil if it didn't.
    package func ending(_ result: LibraryCopy) -> String? {
        let all = Wording.count(result.progress.allVideos, "video")
        let done = "after \(Wording.grouped(result.progress.videos)) of \(all)"
        let next = SuggestedCommand.text(command)
        if let failure = result.failure {
            let full = "the disk of \(result.folder) is full"
            let reason = failure.isFull ? full : failure.sentence
            return "the copy ended \(done): \(reason). What is there stays; to continue it: \(next)"
        }
        return result.isStopped ? "stopped \(done). What is there stays; to continue it: \(next)" : nil
    }
}

/// The progress lines of `copy`.
package struct CopyProgressText {
    /// Long enough for a file to be written, flushed and read back.
    private var meter = SpeedMeter(window: 30)

    package init() {}

    /// Records the progress and returns the lines, each at most `columns` wide.
    package mutating func lines(_ progress: CopyProgress, columns: Int, now: Date) -> [String] {
        meter.add(progress.bytes - meter.total, at: now)
        let rate = meter.bytesPerSecond(at: now)
        var parts = [
            "\(Wording.grouped(progress.videos)) of \(Wording.count(progress.allVideos, "video"))",
            "\(Wording.size(progress.bytes)) of \(Wording.size(progress.allBytes))",
        ]
        if rate > 0 {
            let left = Double(max(0, progress.allBytes - progress.bytes)) / Double(rate)
            parts += [Wording.rate(rate), "\(Wording.duration(left)) left"]
        }
        return [" " + parts.joined(separator: ", "), " Ctrl-C stops it; the same command continues it"]
            .map { TerminalFormat.cut($0, to: columns) }
    }
}
