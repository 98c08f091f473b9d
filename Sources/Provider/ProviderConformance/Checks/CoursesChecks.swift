import ProviderHost
import ProviderKit

/// The user's courses, page by page.
struct CoursesChecks {
    /// More pages aren't asked for.
    private static let pageBound = 200

    let context: CheckContext

    /// Whether every page is valid, the pages end, no id comes twice, and the parameters fit the manifest.
    func run() async -> CheckVerdict {
        guard context.plugin.manifest.methods.contains("courses") else { return .skipped(.noMethod("courses")) }
        let schema = SchemaChecks(plugin: context.plugin, settings: context.settings)
        var failures: [CheckFailure] = []
        var (ids, cursors): (Set<String>, Set<String>) = ([], [])
        var cursor: String?
        repeat {
            let (page, isMissing) = await context.askRecorded(context.courses(cursor: cursor))
            if let failure = page.failure { return .failed(failures + [failure]) }
            if let error = page.error {
                if let reason = context.excuse(error) { return .skipped(reason) }
                guard isMissing || cursor == nil else {
                    return .failed(.refused(kind: error.kind.rawValue, message: error.message), page.exchange)
                }
                let message = context.secrets.redactor.redact(error.message, limit: 300)
                return .skipped(.notListed(kind: error.kind.rawValue, message: message))
            }
            guard let list = page.courses else { return .failed(failures) }
            for course in list.courses {
                if !ids.insert(course.id).inserted {
                    failures.append(CheckFailure(.repeatedID(course.id), page.exchange))
                }
                failures += schema.mistakes(course.parameters).map { CheckFailure(.parameter($0), page.exchange) }
            }
            cursor = list.next
            if let next = cursor, !cursors.insert(next).inserted {
                let shown = context.secrets.redactor.redact(next, limit: 100)
                return .failed(failures + [CheckFailure(.repeatedCursor(shown), page.exchange)])
            }
            if cursors.count >= Self.pageBound {
                return .failed(failures + [CheckFailure(.endlessPages(Self.pageBound), page.exchange)])
            }
        } while cursor != nil
        return CheckVerdict(failures)
    }
}
