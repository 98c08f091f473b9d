package import SyncFacts
import YAMLSource

/// The sentences for problems at the end of a run.
extension SyncProblem {
    /// The sentence, with its place.
    var located: LocatedMessage {
        switch self {
        case .mistake(let mistake): mistake
        case .courseTaken(let course, let owner, let place):
            LocatedMessage(
                file: place.file, line: place.line, column: place.column,
                message: """
                    the course '\(course)' belongs to \(owner); use another id, or run: \
                    \(SuggestedCommand.text("forget \(ShellWord.quoted(owner))"))
                    """)
        case .held(let course): LocatedMessage(file: "", line: nil, column: nil, message: course.message)
        case .refusal(let refusal): LocatedMessage(file: "", line: nil, column: nil, message: refusal.message)
        }
    }
}

extension HeldCourse {
    /// The problem, and its remedies.
    package var message: String {
        let selector = Selector(course: course).description
        switch reason {
        case .filesMissing(let count, let finished, let example):
            return """
                the course '\(title)' was left unchanged: \(count) of its \(finished) finished files are missing, such \
                as \(example). If a disk isn't mounted there, mount it. To download them again, run the sync with \
                --refetch-lost, or: \(SuggestedCommand.text("verify \(ShellWord.quoted(selector)) --repair"))
                """
        case .unreadable(let sentence):
            return "the course '\(title)' was left unchanged: \(sentence)"
        case .unsettled(let sentence):
            return """
                the course '\(title)' was left unchanged, since files that an interrupted sync was placing or moving \
                can't be put in their places: \(sentence)
                """
        }
    }
}
