package import DownloadStore
import FileSystem
import Foundation
package import SyncFacts
import SystemPackage
import UserState

extension StateLocation.Place {
    /// Refuses a name that isn't the account's own and has never logged in.
    package func requireKnown() throws(Refusal) {
        guard !isAccountsOwn, !ofUser.hasState else { return }
        throw unknown
    }

    /// The refusal for a name that has never logged in.
    var unknown: Refusal { .user(.unknown(user.text, others: (try? siblings()) ?? [])) }

    /// Opens the state to write a session or a request into it, while another process may hold the lock. A missing
    /// state is made, an older one migrated; that takes the lock for a moment.
    package func openForSession() async throws(Refusal) -> DownloadStore {
        do throws(StateError) { try folder.create() } catch { throw Refusal(error) }
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            if let store = try openBeside() { return store }
            let attempt: FileLock.Outcome
            do throws(StateError) {
                attempt = try await folder.acquireLock(catalogs: [], grace: .milliseconds(50))
            } catch { throw Refusal(error) }
            switch attempt {
            case .acquired(let lock):
                defer { lock.release() }
                do throws(StoreError) {
                    return try DownloadStore(path: folder.database.string, role: .holder)
                } catch {
                    guard case .busy = error, ContinuousClock.now < deadline else { throw Refusal(error) }
                }
            case .held(let holder):
                if ContinuousClock.now >= deadline { throw Refusal.held(holder) }
            }
        }
    }

    /// Nil for a state that doesn't exist, or that the lock's holder has to migrate or is still making.
    private func openBeside() throws(Refusal) -> DownloadStore? {
        guard hasState else { return nil }
        do throws(StoreError) {
            return try DownloadStore(path: folder.database.string, role: .client)
        } catch {
            switch error {
            // Several shards may make it at the same moment, on a slow disk.
            case .needsMigration, .notMade, .busy: return nil
            default: throw Refusal(error)
            }
        }
    }

    /// The names of all other users.
    private func siblings() throws(StateError) -> [String] {
        try Locations.users(in: userFolder.path.removingLastComponent()).map(\.text)
    }
}
