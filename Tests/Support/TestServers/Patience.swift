import Foundation

/// How much longer than usual a test that measures time has to wait.
package enum Patience {
    /// More under a sanitizer, which `make sanitize` tells: programs take about ten times as long there.
    package static let factor = ProcessInfo.processInfo.environment["COURSEFETCH_SANITIZER"] == nil ? 1 : 10
}
