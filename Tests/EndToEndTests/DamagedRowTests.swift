import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

/// The damaged value of a row.
private struct Damage: CustomTestStringConvertible {
    var what: String
    /// Assignments in the row of video 2.
    var values: String
    var testDescription: String { what }
}

@Suite("a state in which one row is damaged")
struct DamagedRowTests {
    private static let damages = [
        Damage(what: "an unknown state", values: "state = 'wating'"),
        Damage(what: "a state that is no text", values: "state = x'FF00'"),
        Damage(what: "a title that is no UTF-8", values: "title = x'C3286100'"),
        Damage(what: "a digest of the wrong length", values: "sha256 = x'00', source = x'01', file_source = x''"),
        Damage(
            what: "sizes below nothing", values: "size = -7, durable_bytes = -1, total_bytes = -9223372036854775808"),
        Damage(what: "sizes that are words", values: "size = 'large', durable_bytes = 'some', total_bytes = x'00'"),
        Damage(what: "a stream that is no JSON", values: "stream = '{', media_seconds = 1e300"),
        Damage(what: "a path that leads out", values: "path = '../../etc/passwd'"),
        Damage(
            what: "numbers at their end",
            values: """
                state = 'failed', failed_runs = 9223372036854775807, start_overs = 9223372036854775807,
                validator_failures = 9223372036854775807, retry_at = 1
                """),
        Damage(what: "times that are none", values: "updated_at = 1e300, retry_at = -1e300, state = 'suspended'"),
        Damage(what: "a placing that is none", values: "is_placing = 1, state = 'wating', path = '..'"),
        Damage(what: "nothing where there is always something", values: "title = NULL, stem = NULL, provider = NULL"),
    ]

    @Test("a damaged row affects only itself: every sync goes on, and ends with all files complete", arguments: damages)
    fileprivate func row(_ damage: Damage) async throws {
        let (stage, host) = try await start()
        try damaged(stage, "UPDATE downloads SET \(damage.values) WHERE video = '2'")
        #expect(try await stage.command(["status"]).exit == 0)
        let users = try await Program.coursefetch(["users", "--state", stage.state.string], in: stage.folder)
        #expect(users.exit == 0, "\(users.report)")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let again = try await stage.sync()
        #expect(again.exit == 0, "\(again.report)")
        let right = (1...3).map { TestContent(seed: UInt64($0), size: 20_000).sha256Text }
        #expect(Set(LibraryFiles(stage.library).digests.values) == Set(right))
        #expect(LibraryFiles(stage.library).paths.count == 3, "\(LibraryFiles(stage.library).paths)")
        await host.stop()
    }

    @Test(
        "where a value must not be guessed, a sync ends with 73 and a remedy",
        arguments: [
            "INSERT INTO moves (id, from_path, to_path, owner) VALUES ('1', 'Course/01 1.mp4', 'Course/x.mp4', 'nobody')",
            "INSERT INTO session VALUES (1, 1, x'00', 0, 0)",
        ])
    func unguessable(_ statement: String) async throws {
        let (stage, host) = try await start()
        try damaged(stage, statement)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 73, "\(outcome.report)")
        let message = outcome.summary?.errors?.first?.message ?? ""
        #expect(message.contains("is damaged") && message.contains("Restore a backup"), "\(message)")
        #expect(LibraryFiles(stage.library).paths.count == 3)
        await host.stop()
    }

    // MARK: what they share

    private func start() async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...3).map { CatalogText.Video(id: "\($0)") }
        try stage.catalog(CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos))
        #expect(try await stage.sync().exit == 0)
        return (stage, host)
    }

    /// As a damaged file has it: no constraint and no type holds.
    private func damaged(_ stage: Stage, _ statement: String) throws {
        let tables = "name IN ('downloads', 'session', 'moves')"
        let whole = try stage.stateCopy().rows("SELECT name, sql FROM sqlite_schema WHERE \(tables)")
        try StateCopy.edit(
            stage.state,
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(replace(replace(replace(replace(
                sql, ', STRICT', ''), ') STRICT', ')'), 'TEXT NOT NULL', 'TEXT'), 'BLOB NOT NULL', 'BLOB'),
                'INTEGER NOT NULL', 'INTEGER'), 'REAL NOT NULL', 'REAL')
            WHERE \(tables);
            """)
        try StateCopy.edit(stage.state, "PRAGMA ignore_check_constraints = ON; " + statement)
        let back = whole.map { row in
            let sql = (row["sql"] ?? "").replacing("'", with: "''")
            return "UPDATE sqlite_schema SET sql = '\(sql)' WHERE name = '\(row["name"] ?? "")'"
        }
        try StateCopy.edit(stage.state, "PRAGMA writable_schema = ON; " + back.joined(separator: ";"))
    }
}
