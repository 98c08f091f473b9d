import CourseCatalog
package import DownloadStore
import FileSystem
package import Foundation
package import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// Facts about a user of this account. Contains no secret.
package struct UserSummary: Sendable, Equatable {
    /// A login at a provider.
    package struct Provider: Sendable, Equatable {
        package var name: String
        /// The time when its credentials were last stored.
        package var savedAt: Date
        /// Their expiry; nil if it isn't known.
        package var expiresAt: Date?

        package init(name: String, savedAt: Date, expiresAt: Date? = nil) {
            self.name = name
            self.savedAt = savedAt
            self.expiresAt = expiresAt
        }
    }

    /// A shard that the user has a state of here.
    package struct ShardSummary: Sendable, Equatable {
        /// As `2/4`.
        package var name: String
        /// The library's path, if the state knows one.
        package var library: String?
        package var downloads: [DownloadState: Int]
        /// The process that holds its lock.
        package var running: RunningSync?

        package init(
            name: String, library: String? = nil, downloads: [DownloadState: Int] = [:], running: RunningSync? = nil
        ) {
            self.name = name
            self.library = library
            self.downloads = downloads
            self.running = running
        }
    }

    package var user: String
    /// Whether it is the account's own name, which needs no login.
    package var isAccountsOwn: Bool
    /// Whether the user is logged in; nil if that can't be read.
    package var isLoggedIn: Bool?
    /// The time of the last login or logout; nil if there was none.
    package var since: Date?
    /// The library's path, if the state knows one.
    package var library: String?
    package var downloads: [DownloadState: Int]
    /// The process that holds the user's lock.
    package var running: RunningSync?
    /// The providers with stored credentials, by name.
    package var providers: [Provider]
    /// Those with a state here, by number; another machine may have others.
    package var shards: [ShardSummary] = []
    /// Errors while reading the facts.
    package var problems: [Refusal]

    package init(
        user: String, isAccountsOwn: Bool = false, isLoggedIn: Bool? = nil, since: Date? = nil, library: String? = nil,
        downloads: [DownloadState: Int] = [:], running: RunningSync? = nil, providers: [Provider] = [],
        problems: [Refusal] = []
    ) {
        self.user = user
        self.isAccountsOwn = isAccountsOwn
        self.isLoggedIn = isLoggedIn
        self.since = since
        self.library = library
        self.downloads = downloads
        self.running = running
        self.providers = providers
        self.problems = problems
    }

    /// All users that have a state, and the account's own, who needs none; by name. Changes nothing.
    ///
    /// Errors with one user are among its ``problems``, and don't affect the others.
    package static func all(_ location: StateLocation) throws(Refusal) -> [UserSummary] {
        var own = location
        own.user = nil
        let mine = try own.resolve()
        let folder = mine.folder.path.removingLastComponent()
        var listings: [UserSummary] = []
        do throws(StateError) {
            for user in try Locations.users(in: folder) {
                listings.append(one(mine.sibling(user)))
            }
        } catch { throw Refusal(error) }
        if !listings.contains(where: \.isAccountsOwn) {
            listings.append(UserSummary(user: mine.user.text, isAccountsOwn: true, isLoggedIn: true))
        }
        return listings.sorted { $0.user < $1.user }
    }

    private static func one(_ place: StateLocation.Place) -> UserSummary {
        var listing = UserSummary(user: place.user.text, isAccountsOwn: place.isAccountsOwn)
        var held: FileLock.Held?
        do throws(StateError) {
            held = try place.folder.lockHolder()
            listing.running = held?.holder.map { RunningSync(pid: Int32($0.pid), host: $0.host, since: $0.since) }
        } catch { listing.problems.append(Refusal(error)) }
        do {
            if let store = try place.openForReading() {
                defer { store.close() }
                let session = try place.session(in: store)
                listing.isLoggedIn = session.isOpen
                listing.since = session.changedAt == .distantPast ? nil : session.changedAt
                if let holder = held?.holder {
                    listing.running = try RunningSync(holder, isLoggedIn: session.isOpen, in: store)
                }
                listing.library = try LibraryOpening.recordedPath(store)
                listing.downloads = try store.downloads.counts()
                if held == nil { listing.downloads.suspendActive() }
            } else {
                listing.isLoggedIn = place.isAccountsOwn
            }
        } catch { listing.problems.append(Refusal(any: error)) }
        do throws(CredentialsError) {
            listing.providers = try UserCredentials(folder: place.folder).read().map { name, stored in
                Provider(name: name, savedAt: stored.savedAt, expiresAt: stored.expiresAt)
            }.sorted { $0.name < $1.name }
        } catch { listing.problems.append(Refusal(error)) }
        let shards = place.shards.sorted { one, other in
            (one.shard?.count ?? 0, one.shard?.index ?? 0) < (other.shard?.count ?? 0, other.shard?.index ?? 0)
        }
        for shard in shards {
            do throws(Refusal) {
                if let facts = try ofShard(shard, isLoggedIn: listing.isLoggedIn ?? true) {
                    listing.shards.append(facts)
                }
            } catch { listing.problems.append(shard.leftOut(error)) }
        }
        return listing
    }

    /// Nil for one whose state isn't made yet.
    private static func ofShard(
        _ place: StateLocation.Place, isLoggedIn: Bool
    ) throws(Refusal) -> ShardSummary? {
        guard let shard = place.shard, let store = try place.openAsIs() else { return nil }
        defer { store.close() }
        do {
            let held = try place.folder.lockHolder()
            var facts = ShardSummary(name: shard.text)
            facts.library = try LibraryOpening.recordedPath(store)
            facts.downloads = try store.downloads.counts()
            facts.running = try held?.holder.map { try RunningSync($0, isLoggedIn: isLoggedIn, in: store) }
            if held == nil { facts.downloads.suspendActive() }
            return facts
        } catch { throw Refusal(any: error) }
    }
}

extension [DownloadState: Int] {
    /// Without a process, what was active is suspended.
    fileprivate mutating func suspendActive() {
        guard let interrupted = removeValue(forKey: .active) else { return }
        self[.suspended, default: 0] += interrupted
    }
}
