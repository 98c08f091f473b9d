import DownloadStore

/// The state carried to the next night.
struct WeekState {
    var rows = Rows()
    /// Bytes of finished files.
    var stored: Int64 = 0
    /// Providers that have been logged in to after they wanted it, and when.
    var logins: [String: Double] = [:]
    var finished: Set<DownloadID> = []
    /// What people have said last about a download.
    var steered: [DownloadID: StateTransition] = [:]
    /// Who wants a login now, and has none.
    var loggedOut: Set<String> = []
    /// Checksums that were wrong, flushes that failed: each happens so often in a week.
    var badChecksums: [DownloadID: Int] = [:]
    var losses: [DownloadID: Int] = [:]
}

extension Rows {
    /// Bytes of all partials.
    var partials: Int64 { rows.values.reduce(0) { $0 + $1.durable } }
}
