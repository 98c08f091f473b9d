import FileSystem
import Foundation
import SyncFacts

/// Who holds a lock, for a person.
extension LockHolder {
    /// `process 4711 on nas`.
    var name: String { "process \(pid) on \(host)" }

    /// What it syncs: ` with a.yaml, b.yaml`; nothing where that isn't known.
    var work: String { catalogs.isEmpty ? "" : " with \(catalogs.joined(separator: ", "))" }

    /// `user alice, process 4711 on nas with a.yaml`.
    var who: String { (user.map { "user \($0), " } ?? "") + name + work }

    /// Since when it has the lock.
    var sinceWhen: String {
        let isToday = LocalDay(of: since, in: .current) == LocalDay(of: Date(), in: .current)
        return isToday ? "\(LocalTime(of: since, in: .current))" : since.rfc3339
    }
}

extension LockHolder? {
    /// As ``FileSystem/LockHolder/name``, also of one that doesn't tell.
    var name: String { self?.name ?? "another process" }
}
