package import Foundation
package import Operations
import SyncFacts

/// The output of `copy --json`: one object per event, and a last one with the sums.
package enum CopyJSON {
    package static func line(_ event: CopyEvent, now: Date) -> [UInt8] {
        var line = JSONLine()
        switch event {
        case .begun(let folder, let progress):
            line.event("copy_started", at: now)
            line.field("folder", folder)
            Self.progress(&line, progress)
        case .progress(let progress):
            line.event("copy_progress", at: now)
            Self.progress(&line, progress)
        case .copied(let reference, let path, let bytes, let isUpdate):
            line.event("video_copied", at: now)
            JSONEvents.whole(&line, reference)
            line.field("path", path)
            line.field("bytes", bytes)
            line.field("result", isUpdate ? "updated" : "copied")
        case .failed(let problem):
            line.event("file_not_copied", at: now)
            Self.reference(&line, problem)
            line.field("path", problem.path)
            line.field("size", problem.size)
            line.field("result", name(problem.kind))
            line.field("lacks_video", problem.lacksVideo)
            switch problem.kind {
            case .unreadable(let error), .unwritable(let error): line.field("message", error.sentence)
            default: break
            }
        }
        return line.finished()
    }

    /// The last line.
    ///
    /// - Parameter message: why it ended before its end; nil if it didn't.
    package static func summary(
        _ result: LibraryCopy, exit: ExitStatus, message: String?, now: Date
    ) -> [UInt8] {
        var line = JSONLine()
        line.event("copy_finished", at: now)
        line.field("exit", Int(exit.rawValue))
        line.field("folder", result.folder)
        progress(&line, result.progress)
        line.field("copied", result.copied)
        line.field("updated", result.updated)
        line.field("present", result.present)
        line.field("removed", result.removed)
        line.field("not_copied", Set(result.problems.filter(\.lacksVideo).map(\.reference)).count)
        line.field("renamed_files", result.renamed)
        line.field("complete", result.isComplete)
        line.field("message", message)
        JSONEvents.leftOut(&line, result.leftOut)
        return line.finished()
    }

    private static func progress(_ line: inout JSONLine, _ progress: CopyProgress) {
        line.field("videos", progress.videos)
        line.field("all_videos", progress.allVideos)
        line.field("bytes", progress.bytes)
        line.field("all_bytes", progress.allBytes)
    }

    private static func reference(_ line: inout JSONLine, _ problem: LibraryCopy.Problem) {
        guard problem.reference.video.isEmpty else { return JSONEvents.whole(&line, problem.reference) }
        line.field("course", problem.reference.course.isEmpty ? nil : problem.reference.course)
        line.field("chapter", String?.none)
        line.field("video", String?.none)
        line.field("title", String?.none)
        line.field("selector", String?.none)
    }

    private static func name(_ kind: LibraryCopy.Problem.Kind) -> String {
        switch kind {
        case .missing: "missing"
        case .changed: "changed"
        case .unreadable: "unreadable"
        case .tooLarge: "too_large"
        case .inTheWay: "in_the_way"
        case .notAsWritten: "not_as_written"
        case .unwritable: "unwritable"
        }
    }
}
