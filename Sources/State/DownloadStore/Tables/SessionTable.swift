package import Foundation
import GRDB

/// Logins and logouts: of the user, and at providers.
package struct SessionTable: Sendable {
    let file: StateFile

    /// The user's session; nil if the user has neither logged in nor out yet.
    package func current() throws(StoreError) -> UserSession? { try file.read(Self.session) }

    /// Logs the user in.
    package func open(at now: Date = Date()) throws(StoreError) -> UserSession {
        try file.write { db in try Self.opened(Self.session(db) ?? .initial, provider: nil, now, db) }
    }

    /// Logs the user in and records a new login at `provider`, in one new generation; nil, without a change, if since
    /// `generation` the user has logged out, or anybody has logged in or out at this provider.
    package func open(
        provider: String, since generation: Int64, at now: Date = Date()
    ) throws(StoreError) -> UserSession? {
        try file.write { db in
            let session = try Self.session(db) ?? .initial
            let changed = try Self.generation(of: provider, db)
            guard session.closedGeneration <= generation, changed <= generation else { return nil }
            return try Self.opened(session, provider: provider, now, db)
        }
    }

    private static func opened(
        _ session: UserSession, provider: String?, _ now: Date, _ db: Database
    ) throws -> UserSession {
        var session = session
        session.generation += 1
        if !session.isOpen || session.changedAt == .distantPast { session.changedAt = now }
        session.isOpen = true
        if let provider { try note(provider, session.generation, db) }
        return try keep(session, db)
    }

    /// Logs the user out, even if logged out already: from its commit on, no sync and no login that began before may
    /// store credentials or open the session.
    package func close(at now: Date = Date()) throws(StoreError) -> UserSession {
        try file.write { db in
            var session = try Self.session(db) ?? .initial
            session.generation += 1
            session.closedGeneration = session.generation
            if session.isOpen { session.changedAt = now }
            session.isOpen = false
            return try Self.keep(session, db)
        }
    }

    /// Records that the login at one provider has been deleted.
    package func close(ofProvider provider: String, at now: Date = Date()) throws(StoreError) -> UserSession {
        try file.write { db in
            var session = try Self.session(db) ?? .initial
            session.generation += 1
            if session.changedAt == .distantPast { session.changedAt = now }
            try Self.note(provider, session.generation, db)
            return try Self.keep(session, db)
        }
    }

    /// Whether credentials from a plugin started in `generation` may be stored: since then the user hasn't logged out,
    /// and nobody has logged in or out at this provider.
    package func mayStoreCredentials(of provider: String, since generation: Int64) throws(StoreError) -> Bool {
        try file.read { db in
            let session = try Self.session(db) ?? .initial
            let changed = try Self.generation(of: provider, db)
            return session.isOpen && session.closedGeneration <= generation && changed <= generation
        }
    }

    /// The generation of the last login or logout at a provider; 0 if there was none.
    private static func generation(of provider: String, _ db: Database) throws -> Int64 {
        try Int64.fetchOne(
            db, sql: "SELECT generation FROM provider_sessions WHERE provider = ?", arguments: [provider]) ?? 0
    }

    private static func session(_ db: Database) throws -> UserSession? {
        guard let row = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM session")).map(StoredRow.init) else {
            return nil
        }
        // The session must not be guessed.
        guard let isOpen = row.integer("is_open"), let generation = row.integer("generation"),
            let closed = row.integer("closed_generation")
        else { throw DamagedRow(what: "the row that says who is logged in can't be read") }
        return UserSession(
            isOpen: isOpen != 0, generation: generation, closedGeneration: closed,
            changedAt: row.date("changed_at") ?? .distantPast)
    }

    private static func keep(_ session: UserSession, _ db: Database) throws -> UserSession {
        try db.run(
            """
            INSERT INTO session (id, is_open, generation, closed_generation, changed_at) VALUES (1, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET is_open = excluded.is_open, generation = excluded.generation,
                closed_generation = excluded.closed_generation, changed_at = excluded.changed_at
            """,
            [
                session.isOpen, session.generation, session.closedGeneration,
                session.changedAt.timeIntervalSince1970,
            ])
        return session
    }

    private static func note(_ provider: String, _ generation: Int64, _ db: Database) throws {
        try db.run(
            """
            INSERT INTO provider_sessions (provider, generation) VALUES (?, ?)
            ON CONFLICT (provider) DO UPDATE SET generation = excluded.generation
            """, [provider, generation])
    }
}
