package import Foundation
import GRDB

/// Whether a user is logged in, and how often that has changed.
package struct UserSession: Sendable, Equatable {
    /// Logged in.
    package var isOpen: Bool
    /// Raised by every login and logout, of the user or of one provider.
    package var generation: Int64
    /// The generation that the last logout of the user made; 0 if there was none.
    package var closedGeneration: Int64
    /// When it was opened or closed last.
    package var changedAt: Date

    package init(isOpen: Bool, generation: Int64, closedGeneration: Int64, changedAt: Date) {
        self.isOpen = isOpen
        self.generation = generation
        self.closedGeneration = closedGeneration
        self.changedAt = changedAt
    }

    /// Of the account's own user, who has neither logged in nor out yet: open.
    package static let initial = UserSession(isOpen: true, generation: 0, closedGeneration: 0, changedAt: .distantPast)
}

extension DownloadStore {
    /// The user's session; nil if the user has neither logged in nor out yet.
    package func session() throws(StoreError) -> UserSession? { try read(Self.session) }

    /// Logs the user in.
    package func openSession(at now: Date = Date()) throws(StoreError) -> UserSession {
        try write { db in try Self.open(Self.session(db) ?? .initial, provider: nil, now, db) }
    }

    /// Logs the user in and notes a new login at `provider`, in one new generation; nil, and nothing is done, if since
    /// `generation` the user has logged out, or anybody has logged in or out at this provider.
    package func openSession(
        provider: String, since generation: Int64, at now: Date = Date()
    ) throws(StoreError) -> UserSession? {
        try write { db in
            let session = try Self.session(db) ?? .initial
            let changed = try Self.generation(of: provider, db)
            guard session.closedGeneration <= generation, changed <= generation else { return nil }
            return try Self.open(session, provider: provider, now, db)
        }
    }

    private static func open(
        _ session: UserSession, provider: String?, _ now: Date, _ db: Database
    ) throws -> UserSession {
        var session = session
        session.generation += 1
        if !session.isOpen || session.changedAt == .distantPast { session.changedAt = now }
        session.isOpen = true
        if let provider { try note(provider, session.generation, db) }
        return try keep(session, db)
    }

    /// Logs the user out, also one who is out already: from its commit on, no sync and no login that began before may store
    /// credentials or open the session.
    package func closeSession(at now: Date = Date()) throws(StoreError) -> UserSession {
        try write { db in
            var session = try Self.session(db) ?? .initial
            session.generation += 1
            session.closedGeneration = session.generation
            if session.isOpen { session.changedAt = now }
            session.isOpen = false
            return try Self.keep(session, db)
        }
    }

    /// Notes that what is known of the logins at one provider has been forgotten.
    package func closeSession(ofProvider provider: String) throws(StoreError) -> UserSession {
        try write { db in
            var session = try Self.session(db) ?? .initial
            session.generation += 1
            try Self.note(provider, session.generation, db)
            return try Self.keep(session, db)
        }
    }

    /// Whether credentials that a plugin gave may be stored, which was started in `generation`: neither the user has
    /// logged out since, nor has anybody logged in or out at this provider.
    package func mayStoreCredentials(of provider: String, since generation: Int64) throws(StoreError) -> Bool {
        try read { db in
            let session = try Self.session(db) ?? .initial
            let changed = try Self.generation(of: provider, db)
            return session.isOpen && session.closedGeneration <= generation && changed <= generation
        }
    }

    /// Of the last login or logout at a provider; 0 if there was none.
    private static func generation(of provider: String, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT generation FROM provider_sessions WHERE provider = ?", arguments: [provider]) ?? 0
    }

    /// A number that changes with every commit of another process; reading it costs no transaction (pragma.html).
    package func dataVersion() throws(StoreError) -> Int64 {
        try read { db in try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0 }
    }

    private static func session(_ db: Database) throws -> UserSession? {
        guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM session")).map(StoredRow.init) else {
            return nil
        }
        // Whether somebody is logged in is nothing to guess.
        guard let isOpen = row.integer("is_open"), let generation = row.integer("generation"),
            let closed = row.integer("closed_generation"), let changedAt = row.date("changed_at")
        else { throw DamagedRow(what: "the row that says who is logged in can't be read") }
        return UserSession(isOpen: isOpen != 0, generation: generation, closedGeneration: closed, changedAt: changedAt)
    }

    private static func keep(_ session: UserSession, _ db: Database) throws -> UserSession {
        try run(
            """
            INSERT INTO session (id, is_open, generation, closed_generation, changed_at) VALUES (1, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET is_open = excluded.is_open, generation = excluded.generation,
                closed_generation = excluded.closed_generation, changed_at = excluded.changed_at
            """,
            [
                session.isOpen, session.generation, session.closedGeneration,
                session.changedAt.timeIntervalSince1970,
            ], db)
        return session
    }

    private static func note(_ provider: String, _ generation: Int64, _ db: Database) throws {
        try run(
            """
            INSERT INTO provider_sessions (provider, generation) VALUES (?, ?)
            ON CONFLICT (provider) DO UPDATE SET generation = excluded.generation
            """, [provider, generation], db)
    }
}
