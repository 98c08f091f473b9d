package import MigrationSources
package import SyncFacts

/// Why a migration can't be made.
package enum MigrationProblem: Error, Sendable {
    case source(SourceProblem)
    case map(SourceProblem)
    /// The library is in the source, or the source in the library.
    case overlapping
    case refused(Refusal)

    /// Wraps an error of the work.
    init(any error: any Error) {
        switch error {
        case let problem as MigrationProblem: self = problem
        case let problem as SourceProblem: self = .source(problem)
        default: self = .refused(Refusal(any: error))
        }
    }
}

extension MigrationProblem {
    /// Does what may be refused.
    static func wrapping<Result>(_ body: () throws(Refusal) -> Result) throws(MigrationProblem) -> Result {
        do throws(Refusal) { return try body() } catch { throw .refused(error) }
    }
}
