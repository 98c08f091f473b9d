/// The result of the suite.
package struct ConformanceReport: Sendable {
    /// One check's result.
    package struct Result: Sendable {
        package var check: ConformanceCheck
        package var verdict: CheckVerdict
        package var duration: Duration
    }

    /// The plugin's name, or its folder's without a usable manifest.
    package var name: String
    package var version: String?
    package var folder: String
    /// In the order of ``ConformanceCheck``.
    package var results: [Result] = []
    /// Mistakes in the manifest that don't keep it from being used, each with its place.
    package var warnings: [String] = []
    /// The files of the exchanges that no request has got.
    package var unused: [String] = []
    /// How long the whole run took.
    package var duration = Duration.zero

    /// Makes a report without results.
    package init(name: String, version: String?, folder: String) {
        self.name = name
        self.version = version
        self.folder = folder
    }

    /// Whether no check failed.
    package var isSuccess: Bool { !results.contains { $0.verdict.isFailure } }

    /// How many checks passed, failed and were skipped.
    package var counts: (passed: Int, failed: Int, skipped: Int) {
        results.reduce(into: (0, 0, 0)) { counts, result in
            switch result.verdict {
            case .passed: counts.0 += 1
            case .failed: counts.1 += 1
            case .skipped: counts.2 += 1
            }
        }
    }
}
