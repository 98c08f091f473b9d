import DownloadStore
import FileSystem
import Foundation
import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// Checks a user's state folder and its contents.
struct StateCheck {
    let place: StateLocation.Place

    /// The minimum free space: SQLite needs room for its next changes.
    private static let minimumSpace: Int64 = 16 << 20

    /// The folder: it exists, is ours, closed to others, on a local disk, with free space.
    func folderFacts() -> [DiagnosisFact] {
        let folder = place.folder
        let path = folder.path.string
        guard folder.exists else { return [.noState(path: path)] }
        var facts: [DiagnosisFact] = []
        if let access = VolumeFacts.permissions(of: folder.path) {
            if access.owner != VolumeFacts.account { facts.append(.ownedByAnother(path: path, account: access.owner)) }
            if access.mode & 0o077 != 0 { facts.append(.openToOthers(path: path, mode: access.mode, isFolder: true)) }
        }
        let files = [folder.database, folder.credentials, folder.lock]
        let logs = ["-wal", "-shm", "-journal"].map { FilePath(folder.database.string + $0) }
        for file in files + logs {
            guard let access = VolumeFacts.permissions(of: file) else { continue }
            if access.owner != VolumeFacts.account {
                facts.append(.ownedByAnother(path: file.string, account: access.owner))
            }
            if access.mode & 0o077 != 0 {
                facts.append(.openToOthers(path: file.string, mode: access.mode, isFolder: false))
            }
            if !VolumeFacts.isWritable(file) { facts.append(.stateNotWritable(path: file.string)) }
        }
        if !VolumeFacts.isWritable(folder.path) { facts.append(.stateNotWritable(path: path)) }
        if case .network(let kind) = folder.fileSystem { facts.append(.stateOnNetwork(path: path, kind: kind)) }
        if VolumeFacts.isInMemory(folder.path) { facts.append(.stateInMemory(path: path)) }
        let free = VolumeFacts.freeSpace(at: folder.path)
        if let free, free < Self.minimumSpace { facts.append(.stateDiskFull(path: path, free: free)) }
        return facts.contains { $0.severity == .problem } ? facts : [.state(path: path, free: free)] + facts
    }

    /// The state file, opened if possible: its version, and whether SQLite finds damage.
    func database() -> (DownloadStore?, [DiagnosisFact]) {
        let path = place.folder.database.string
        guard FileManager.default.fileExists(atPath: path) else { return (nil, []) }
        do throws(StoreError) {
            let store = try DownloadStore(path: path, role: .client)
            let damages = try store.health.damages()
            guard damages.isEmpty else { return (store, [.databaseDamaged(path: path, damages)]) }
            var downloads = 0
            try store.downloads.scan { _ in downloads += 1 }
            let bytes = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64) ?? 0
            return (
                store, [.database(path: path, version: StoreHealth.schemaVersion, bytes: bytes, downloads: downloads)]
            )
        } catch {
            switch error {
            case .needsMigration: return (nil, [.databaseOlder(path: path)])
            case .corrupt(_, let detail): return (nil, [.databaseDamaged(path: path, [detail])])
            default: return (nil, [.databaseUnusable(error)])
            }
        }
    }

    /// The holder of the lock.
    func lock() -> (isHeld: Bool, DiagnosisFact) {
        do throws(StateError) {
            let held = try place.folder.lockHolder()
            return (held != nil, .lock(held?.holder, isHeld: held != nil))
        } catch {
            return (false, .lockUnusable(error))
        }
    }

    /// Whether the user is logged in; nothing if the state can't be read.
    func session(_ store: DownloadStore?) -> [DiagnosisFact] {
        let user = place.user.text
        if store == nil, place.hasState { return [] }
        let recorded: UserSession?
        do { recorded = try store?.sessions.current() } catch { return [] }
        guard let session = recorded else {
            return [
                place.isAccountsOwn ? .loggedIn(user: user, isAccountsOwn: true) : .loggedOut(user: user, since: nil)
            ]
        }
        return [
            session.isOpen
                ? .loggedIn(user: user, isAccountsOwn: place.isAccountsOwn)
                : .loggedOut(user: user, since: session.changedAt)
        ]
    }

    /// The catalogs that courses belong to, and other users who sync them.
    func catalogs(_ store: DownloadStore) -> [DiagnosisFact] {
        guard let courses = try? store.catalogs.courses() else { return [] }
        let counts = courses.values.reduce(into: [:]) { counts, course in counts[course.file, default: 0] += 1 }
        var facts: [DiagnosisFact] = []
        // Nobody is asked for a catalog at an address.
        for (file, count) in counts.sorted(by: { $0.key < $1.key }) where CatalogAddress(file) == .file(file) {
            if file.isEmpty { continue }
            if !FileManager.default.fileExists(atPath: file) {
                facts.append(.catalogMissing(path: file, courses: count))
            } else if !FileManager.default.isReadableFile(atPath: file) {
                facts.append(.catalogUnreadable(path: file))
            }
        }
        return facts + otherStates(Set(counts.keys.filter { !$0.isEmpty }))
    }

    private func otherStates(_ catalogs: Set<String>) -> [DiagnosisFact] {
        let environment = ProcessInfo.processInfo.environment
        var plain = environment
        plain["XDG_STATE_HOME"] = nil
        let root = place.folder.path.removingLastComponent().removingLastComponent()
        var seen: Set<FilePath> = []
        var facts: [DiagnosisFact] = []
        for locations in [
            Locations(environment: environment, state: root), Locations(environment: environment),
            Locations(environment: plain),
        ] where seen.insert(locations.stateRoot).inserted {
            for user in (try? locations.users()) ?? [] {
                let other = locations.state(of: user)
                guard other.path != place.folder.path,
                    FileManager.default.fileExists(atPath: other.database.string),
                    let store = try? DownloadStore(path: other.database.string, role: .client)
                else { continue }
                defer { store.close() }
                let files = Set(((try? store.catalogs.courses()) ?? [:]).values.map(\.file))
                let shared = catalogs.intersection(files).sorted()
                guard !shared.isEmpty else { continue }
                let library = try? LibraryOpening.recordedPath(store)
                facts.append(
                    .otherState(path: other.path.string, user: user.text, library: library, catalogs: shared))
            }
        }
        return facts
    }
}
