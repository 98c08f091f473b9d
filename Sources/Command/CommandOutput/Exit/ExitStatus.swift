package import SyncFacts
import Terminal

/// The one table of exit codes.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case failures = 1
    case usage = 64
    case invalidCatalog = 65
    case unreadableCatalog = 66
    case providerBroken = 69
    case bug = 70
    case stateUnusable = 73
    case workLeft = 75
    case loginNeeded = 77
    case interruptedTwice = 130

    /// The exit code for all conditions at a run's end: those that prevented its start come before those that ended it,
    /// then the first of 73, 77, 69, 75 and 1.
    package init(_ conditions: Set<SyncCondition>) {
        self = Self.precedence.first { conditions.contains($0.condition) }?.status ?? .success
    }

    private static let precedence: [(condition: SyncCondition, status: ExitStatus)] = [
        (.interruptedTwice, .interruptedTwice), (.bug, .bug), (.usage, .usage),
        (.unreadableCatalog, .unreadableCatalog), (.invalidCatalog, .invalidCatalog),
        (.stateUnusable, .stateUnusable), (.loginNeeded, .loginNeeded), (.providerBroken, .providerBroken),
        (.workLeft, .workLeft), (.downloadsFailed, .failures), (.pruneHeld, .failures),
        (.damageFound, .failures), (.problemFound, .failures),
    ]

    /// Whether nothing has failed: what is left is for the next sync.
    package var isSuccess: Bool { self == .success || self == .workLeft }

    /// Its meaning, in one line.
    package var meaning: String {
        switch self {
        case .success: "all videos are finished, paused, cancelled or not available yet"
        case .failures: "a video failed, a check found a problem, or --max-delete held"
        case .usage: "wrong usage, or a selector that matches nothing"
        case .invalidCatalog: "a catalog is invalid"
        case .unreadableCatalog: "a catalog, or a file it includes, can't be read"
        case .providerBroken: "a provider doesn't work; others continued"
        case .bug: "a bug in coursefetch"
        case .stateUnusable: "the library or the state can't be used (full, missing, damaged, newer)"
        case .workLeft: "stopped, or some work is left for the next sync"
        case .loginNeeded: "logged out, or a provider needs a login"
        case .interruptedTwice: "the second Ctrl-C"
        }
    }

    /// The table in the help of every command.
    package static var table: String {
        let rows = allCases.map { "  \(TerminalFormat.right(String($0.rawValue), to: 3))  \($0.meaning)" }
        return "EXIT CODES:\n" + rows.joined(separator: "\n")
    }
}
