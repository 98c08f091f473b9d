import FileSystem
import Foundation
import SyncFacts

extension LockHolder {
    /// `process 4711 on nas`.
    var name: String { "process \(pid) on \(host)" }

    /// Its catalogs: ` with a.yaml, b.yaml`; empty if they are unknown.
    var work: String { catalogs.isEmpty ? "" : " with \(catalogs.joined(separator: ", "))" }

    /// `user alice, process 4711 on nas with a.yaml`.
    var who: String { (user.map { "user \($0), " } ?? "") + name + work }

    /// The time since which it has the lock.
    var sinceWhen: String {
        let isToday = LocalDay(of: since, in: .current) == LocalDay(of: Date(), in: .current)
        return isToday ? "\(LocalTime(of: since, in: .current))" : since.rfc3339
    }
}

extension LockHolder? {
    /// Like ``FileSystem/LockHolder/name``, also for an unknown holder.
    var name: String { self?.name ?? "another process" }
}
